import { config } from 'zod'

// zod compiles parsers with `new Function`, which the content policy forbids and reports. Imported before any contract.
config({ jitless: true })
