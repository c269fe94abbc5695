// Imported by each test worker before anything else: what Node strips and compiles of a module is kept for the other workers and the next run.
import { enableCompileCache } from 'node:module'

enableCompileCache(`${import.meta.dirname}/../../node_modules/.cache/tests`)
