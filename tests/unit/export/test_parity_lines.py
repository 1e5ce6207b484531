from export.agreement import parity_lines


def test_a_report_has_a_line_for_each_precision() -> None:
    parity = {
        "float32": {"encoder": 1.7744e-05, "step": 2.4e-05, "greedy_agreement": {"sentences": 1000, "identical": 998}},
        "float16": {"encoder": 0.0182},
    }
    assert list(parity_lines(parity)) == [
        "float32: encoder 1.8e-05, step 2.4e-05, greedy agreement 998 of 1,000 sentences",
        "float16: encoder 0.018",
    ]
