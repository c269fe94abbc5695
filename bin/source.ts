/** Runs the program from its sources, for `npm run dev`. Under `--watch`, the daemon restarts when a source is written. */
import { main } from '../src/main.ts'

process.exitCode = await main(process.argv.slice(2))
