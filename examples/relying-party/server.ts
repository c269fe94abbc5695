/** Runs only the example application: `RP_CLIENT_ID=… RP_CLIENT_SECRET=… npm run example`. */
import { createApp } from './app.ts'

const required = (name: string): string => {
  const value = process.env[name]
  if (value === undefined || value === '')
    throw new Error(`${name} is not set; examples/relying-party/README.md tells where it comes from`)
  return value
}

const port = Number(process.env['RP_PORT'] ?? 8080)
const url = process.env['RP_URL'] ?? `http://localhost:${port}`
const app = await createApp({
  issuer: process.env['RP_ISSUER'] ?? 'http://localhost:3000',
  clientId: required('RP_CLIENT_ID'),
  clientSecret: required('RP_CLIENT_SECRET'),
  url,
})
app.listen(port, '127.0.0.1', () => process.stdout.write(`example application: ${url}\n`))
