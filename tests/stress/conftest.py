# SPDX-License-Identifier: Apache-2.0
"""Stress tests use the harness of the system tests."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))), "system"))
