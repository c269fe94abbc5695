/** Names with special characters, in every place that gives such characters a meaning. */
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create } from 'qrcode'
import { describe, expect, test } from 'vitest'
import { keyUri } from '../../src/authentication/methods/totp/service.ts'
import type { Brand } from '../../src/brand/index.ts'
import { brandPage } from '../../src/brand/page.ts'
import { createLog } from '../../src/core/log.ts'
import { createMailTexts } from '../../src/core/mail-texts.ts'
import { csvLine } from '../../src/core/output/csv.ts'
import { formatTable } from '../../src/core/output/table.ts'
import { nameInput } from '../../src/core/wire.ts'
import { attachment } from '../../src/http/response.ts'
import { frameOf } from '../../src/mail/frame.ts'
import { fileTransport } from '../../src/mail/transport.ts'
import { readMail } from '../support/mailbox.ts'

const names = [
  'Acme: EU',
  'a:b:c',
  'R&D',
  '100% Legal %0d%0aBcc: x@example.com',
  'The "Best" \\ Bank',
  "O'Brien & Sons; Ltd, (UK)",
  'Acme <root@example.com>',
  '<script>alert(1)</script>',
  'a=?utf-8?q?b?= c',
  '👩‍👩‍👧 Family 🏳️‍🌈',
  'שלום עולם: 2',
  'مرحبا | بالعالم',
  '株式会社ＡＢＣ',
  'x'.repeat(200),
  '😀'.repeat(100),
  '字'.repeat(200),
  '=1+1',
  '@SUM(A1)',
  "$& $1 $' $`",
  '{name} {{t:x}}',
  '../../etc/passwd',
  'C:\\Windows',
  '#1 ?x=y&z #',
  '7',
].map((name) => [name.length > 40 ? `${name.slice(0, 4)}… of ${name.length}` : name, nameInput.parse(name)] as const)

const brandOf = (name: string): Brand => ({
  ...{ version: '1', name, isNamed: true, logo: null, logoDark: null, icon: null, color: null, palette: null },
  ...{ radius: 'soft', background: 'plain', links: {}, poweredBy: false },
})

describe.each(names)('a name with special characters: %s', (_, name) => {
  test('a special name is the issuer of a Key URI, in label and parameter alike, and its QR code can be scanned', () => {
    const account = `${'a'.repeat(60)}+x@${'b'.repeat(60)}.example`
    const uri = keyUri('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', name, account)
    const { protocol, host, pathname, searchParams } = new URL(uri)
    expect([protocol, host]).toEqual(['otpauth:', 'totp'])
    // As apps read it: the text before the first colon of the decoded label is the issuer.
    const [issuer, ...rest] = decodeURIComponent(pathname.slice(1)).split(':')
    expect([issuer, rest.join(':')]).toEqual([searchParams.get('issuer'), account])
    expect(issuer).toBeTruthy()
    expect(issuer?.isWellFormed()).toBe(true)
    expect(uri).not.toContain('+')
    // Version 25 of 40, which cameras of telephones can still read.
    expect(create(uri, { errorCorrectionLevel: 'M' }).version).toBeLessThanOrEqual(25)
  })

  test('a special name is unchanged in mail headers and begins no other header', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'special-names-'))
    const log = createLog('silent')
    const session = await fileTransport(directory, { name, address: 'no-reply@acme.example' }, log)()
    await session.send({
      ...{ id: 'a'.repeat(32), kind: 'test', createdAt: new Date(0), to: { name, address: 'ann@example.com' } },
      content: {
        ...{ subject: `Join ${name}`, heading: name, paragraphs: [name], footnote: name },
        action: { label: name, url: 'https://auth.example.com/' },
      },
      packed: { frame: frameOf(brandOf(name), 'https://auth.example.com', createMailTexts()('frame')), images: [] },
    })
    const [file = ''] = readdirSync(directory)
    expect(file).toMatch(/^[\w-]+\.eml$/)
    const raw = readFileSync(join(directory, file), 'utf8')
    const head = raw.slice(0, raw.search(/\r?\n\r?\n/))
    expect(head.split(/\r?\n(?![ \t])/).map((line) => line.split(':', 1)[0])).toEqual(
      expect.arrayContaining(['From', 'To', 'Subject', 'Message-ID']),
    )
    expect(head).not.toMatch(/^bcc:/im)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: headers are ASCII
    expect(head).toMatch(/^[\x09\x0a\x0d\x20-\x7e]+$/)
    for (const line of head.split(/\r?\n/)) expect(line.length).toBeLessThanOrEqual(998)
    expect(head.match(/<[^<>@\s]+@[^<>\s]+>/g)).toEqual(expect.arrayContaining(['<no-reply@acme.example>', '<ann@example.com>']))
    expect(readMail(raw).subject).toContain(`Join ${[...name].slice(0, 20).join('').trim()}`)
  })

  test('a special name is one CSV cell that is read back unchanged, and no spreadsheet executes it', () => {
    const line = csvLine(['a', name, 'z'])
    const cells = [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",\n]*))/g)].map(
      ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain,
    )
    expect([cells.length, cells[0], cells[2]]).toEqual([3, 'a', 'z'])
    expect([name, `'${name}`]).toContain(cells[1])
    expect(cells[1]).not.toMatch(/^[\s\p{Cf}]*[=+@-]/u)
  })

  test('a special name is plain text in the title of a page', () => {
    const page = brandPage('<html><head><title>gatehouse</title></head><body></body></html>', brandOf(name))
    expect(page.match(/<title>/g)).toHaveLength(1)
    const title = /<title>(.*)<\/title>/s.exec(page)?.[1] ?? ''
    const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }
    expect(title.replace(/&(amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity)).toBe(name)
    expect(page).not.toContain('<script>')
  })

  test('a special name is one line of the log and of a table', () => {
    const lines: string[] = []
    createLog('info', { destination: { write: (line: string) => void lines.push(line) } }).info({ name }, `about ${name}`)
    expect(lines).toHaveLength(1)
    expect(lines[0]?.trimEnd()).not.toContain('\n')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ name, msg: `about ${name}` })
    expect(formatTable([{ name }]).trimEnd().split('\n')).toHaveLength(2)
  })

  test('a special name is a file name without a path, and cannot end the header', () => {
    const value = attachment(`${name}.csv`)
    expect(value).toMatch(/^attachment; filename="[\w. -]+"; filename\*=UTF-8''[A-Za-z0-9!#$&+.^_`|~%-]+$/)
    expect(decodeURIComponent(value.split("''")[1] ?? '')).toBe(`${name}.csv`.replaceAll(/[/\\]/g, '_'))
  })
})

test('a CSV cell with blanks or invisible characters before a formula is not executed as a formula', () => {
  for (const text of [' =1+1', '\u00a0=1+1', '\ufeff=1+1', '\u200b+1*2', '\u3000＝1', '\u202e-2+3', '|cmd', '\t=1'])
    expect(csvLine([text]), JSON.stringify(text)).toMatch(/^"?'/)
  for (const text of ['-5', '+49', '1-2', 'a=b', '']) expect(csvLine([text])).toBe(`${text}\n`)
})

test('a file name with half a surrogate pair is still sent', () => {
  expect(attachment('a\ud83d.csv')).toContain("filename*=UTF-8''a%EF%BF%BD.csv")
})
