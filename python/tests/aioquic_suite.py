"""Runs aioquic's own tests, which lie in a folder, with Kasoku's packets: aioquic_suite.py FOLDER."""

import sys
import unittest

import kasoku.aioquic

kasoku.aioquic.install()
loaded = unittest.defaultTestLoader.discover(f"{sys.argv[1]}/tests", top_level_dir=sys.argv[1])
done = unittest.TextTestRunner(verbosity=0).run(loaded)
sys.exit(not done.wasSuccessful() or done.testsRun < 500)
