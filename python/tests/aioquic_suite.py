"""Runs aioquic's own tests in FOLDER with Kasoku's packet protection: aioquic_suite.py FOLDER."""

import sys
import unittest

import kasoku.aioquic

kasoku.aioquic.install()
loaded = unittest.defaultTestLoader.discover(f"{sys.argv[1]}/tests", top_level_dir=sys.argv[1])
done = unittest.TextTestRunner(verbosity=0).run(loaded)
sys.exit(not done.wasSuccessful() or done.testsRun < 500)
