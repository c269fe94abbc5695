/** Runs the program from its sources, for `npm run dev`: a daemon under `--watch` restarts when one of them is written. */
import { main } from '../src/main.ts'

process.exitCode = await main(process.argv.slice(2))
