// Each test worker imports this file before anything else. Node keeps the code of modules, stripped of types and compiled, for the other
// workers and the next run.
import { enableCompileCache } from 'node:module'

enableCompileCache(`${import.meta.dirname}/../../node_modules/.cache/tests`)
