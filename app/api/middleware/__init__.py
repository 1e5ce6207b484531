"""Plain ASGI middleware, one class a module.

Starlette's BaseHTTPMiddleware is avoided: it puts itself between the client's disconnect and the endpoint.
"""
