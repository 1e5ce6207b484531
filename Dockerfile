# syntax=docker/dockerfile:1
# The service alone: no PyTorch, no compiler, no shell needed at run time. Build for a GPU with
#   docker build --build-arg RUNTIME=cuda .
# The CUDA libraries then come as Python packages; the host gives only the driver (NVIDIA container toolkit).

FROM python:3.11-slim AS build
ARG RUNTIME=cpu
ENV PIP_NO_CACHE_DIR=1 PIP_NO_COMPILE=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /source
RUN python -m venv /opt/dragoman
ENV PATH=/opt/dragoman/bin:$PATH
COPY deploy/requirements.txt ./
RUN pip install --require-hashes --only-binary :all: --requirement requirements.txt
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY app app
COPY languages languages
COPY model model
COPY export export
COPY kernels kernels
RUN pip install --no-deps .
# Both runtimes own the same folder: one has to go before the other comes.
RUN if [ "$RUNTIME" = cuda ]; then \
        pip uninstall --yes onnxruntime && \
        pip install --constraint constraints.txt "onnxruntime-gpu[cuda,cudnn]"; \
    fi
# Compiled here, because the file system is read-only when it runs. Compiled files note the time of their sources: with
# one time for all, two builds have the same bytes.
ARG SOURCE_DATE_EPOCH=0
RUN find /opt/dragoman -exec touch --no-dereference --date=@$SOURCE_DATE_EPOCH {} + && \
    python -m compileall -q /opt/dragoman && \
    find /opt/dragoman -exec touch --no-dereference --date=@$SOURCE_DATE_EPOCH {} +

FROM python:3.11-slim
ARG RUNTIME=cpu
ENV PATH=/opt/dragoman/bin:$PATH \
    DRAGOMAN_PROVIDER=$RUNTIME \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
COPY --from=build /opt/dragoman /opt/dragoman
WORKDIR /srv/dragoman
# Readable to the user below, whatever the modes are on the machine that builds it.
COPY --chmod=755 artifacts/de-en artifacts/de-en
# A new volume that is mounted here has its owner.
RUN install -d -o 65532 -g 65532 -m 700 /data
# A number, so that Kubernetes can see that it isn't root.
USER 65532:65532
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/readyz', timeout=4)"]
ENTRYPOINT ["dragoman"]
CMD ["serve", "--host", "0.0.0.0"]
