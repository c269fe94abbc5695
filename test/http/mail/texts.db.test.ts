import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { configSchema } from '../../../src/composition.ts'
import { ConfigError, loadConfig } from '../../../src/core/config.ts'
import { testApp } from '../../support/app.ts'
import { invite } from '../organizations/inviting.ts'
import { owner } from '../organizations/people.ts'

const directory = (files: Readonly<Record<string, string>>) => {
  const path = mkdtempSync(join(tmpdir(), 'gatehouse-texts-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
  return path
}

const problemsOf = (textsDirectory: string): readonly string[] => {
  try {
    loadConfig(configSchema, { env: {}, flags: { mail: { textsDirectory } } })
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

test('mails have the operator’s texts instead of the built-in ones', async () => {
  const textsDirectory = directory({
    'en.yaml':
      "account:\n  verification.subject: Welcome aboard\norganizations:\n  invitation.text: '{organization} awaits you, says {inviter}.'\n",
  })
  const t = await testApp({ config: { mail: { textsDirectory } } })
  try {
    const fresh = await t.signedIn('fresh@texts.example')
    await fresh.post('/send-verification-email', { email: 'fresh@texts.example' })
    const { raw } = await t.mailTo('fresh@texts.example', 'verification')
    expect(raw).toMatch(/^Subject: Welcome aboard$/m)
    expect(raw).toContain('Please confirm that this is your email address.')
    const { client } = await owner(t, 'ann@texts.example', 'texts')
    await invite(client, 'bob@texts.example')
    expect((await t.mailTo('bob@texts.example', 'invitation')).raw).toContain('texts awaits you, says ann.')
  } finally {
    await t.stop()
  }
})

test.each([
  [{ 'en.yaml': 'account:\n  no.such: x\n' }, 'en.yaml: account.no.such: there is no such text'],
  [{ 'de.yaml': 'account:\n  changeEmail.text: x\n' }, 'de.yaml: account.changeEmail.text: expected the placeholders {newEmail}'],
  [{ 'en.yaml': "account:\n  hello: 'Hi {name}'\n" }, 'en.yaml: account.hello: expected no placeholders'],
  [{ 'en.yaml': 'organizations:\n  hello: 7\n' }, 'en.yaml: organizations.hello: expected a text of at most 2000 characters'],
  [{ 'en.yaml': 'mails:\n  hello: Hi\n' }, 'en.yaml: there is no section mails: expected account, organizations, pages'],
  [{ 'en.yaml': 'pages:\n  no.such: Hi\n' }, 'en.yaml: pages.no.such: there is no such text'],
  [{ 'de.yaml': 'pages:\n  forgot.sentTo: Hallo\n' }, 'de.yaml: pages.forgot.sentTo: expected the placeholders {email}'],
  [{ 'en.yaml': 'pages:\n  signIn.title: 7\n' }, 'en.yaml: pages.signIn.title: expected a text of at most 2000 characters'],
  [{ 'en.yaml': 'pages:\n  invite.sent: Sent\n' }, 'en.yaml: pages.invite.sent: expected a text for each of one, other'],
  [{ 'en.yaml': 'account: Hi\n' }, 'en.yaml: account must hold texts by their keys'],
  [{ 'it.yaml': 'account: {}\n' }, 'it.yaml is no file of texts'],
  [{ 'en.yaml': '- a list\n' }, 'en.yaml must hold a mapping of keys'],
  [{ 'en.yaml': 'account: [' }, 'en.yaml is not valid YAML'],
])('an invalid file of texts stops the start, and the message names the key: %j', (files, problem) => {
  const problems = problemsOf(directory(files))
  expect(problems).toHaveLength(1)
  expect(problems[0]).toMatch(/^mail\.textsDirectory/)
  expect(problems[0]).toContain(problem)
})

test('a missing directory of texts stops the start, and the message names the directory', () => {
  expect(problemsOf('/nowhere/texts')).toEqual([expect.stringContaining('/nowhere/texts does not exist')])
  expect(problemsOf(directory({}))).toEqual([])
})

test("pages have the operator's texts from their first byte and in their script, without a further request", async () => {
  const own = directory({
    'en.yaml':
      'pages:\n  signIn.title: Come <in>\n  deleted.title: Farewell\n  noScript.text: "{name} wants <scripts>."\naccount:\n  verification.subject: Welcome aboard\n',
    'de.yaml': 'pages:\n  signIn.title: Herein\n',
  })
  const t = await testApp({ config: { texts: { directory: own } } })
  try {
    const page = async (path: string, language: string) =>
      (await t.client().request(path, { headers: { accept: 'text/html', 'accept-language': language } })).text
    const english = await page('/sign-in', 'en')
    expect(english).toContain('<title>Come &lt;in&gt; · ')
    const data = /<script type="application\/json" id="own-texts">(.*?)<\/script>/.exec(english)?.[1] ?? ''
    expect(data).not.toContain('<')
    expect(JSON.parse(data)).toEqual({
      ...{ language: 'en', languages: ['en', 'de'] },
      texts: { 'signIn.title': 'Come <in>', 'deleted.title': 'Farewell', 'noScript.text': '{name} wants <scripts>.' },
    })
    expect(/<noscript>.*<\/noscript>/s.exec(await page('/account', 'en'))?.[0]).toContain('gatehouse wants &lt;scripts&gt;.')
    // The page is rendered completely without a script.
    expect(await page('/account/deleted', 'en')).toMatch(/<h1[^>]*>Farewell<\/h1>/)
    expect(await page('/sign-in', 'de')).toContain('<title>Herein · ')
    expect(await page('/sign-in', 'fr')).not.toMatch(/Come|Herein|\{\{/)
    expect((await t.client().request('/hosted/texts/de')).json).toEqual({ 'signIn.title': 'Herein' })
    expect((await t.client().request('/hosted/texts/fr')).json).toEqual({})
    expect((await t.client().request('/hosted/texts/xx')).status).toBe(400)
    const fresh = await t.signedIn('fresh@texts.example')
    await fresh.post('/send-verification-email', { email: 'fresh@texts.example' })
    expect((await t.mailTo('fresh@texts.example', 'verification')).raw).toMatch(/^Subject: Welcome aboard$/m)
  } finally {
    await t.stop()
  }
})

test("without operator's texts a page contains none, and no placeholder is left in the page", async () => {
  const t = await testApp()
  try {
    const { text } = await t.client().request('/sign-in', { headers: { accept: 'text/html', 'accept-language': 'en' } })
    expect(text).not.toMatch(/own-texts|\{\{/)
  } finally {
    await t.stop()
  }
})

test('the directory of texts has an old and a new setting, and only one of the two may be set', () => {
  const path = directory({})
  const problems = () =>
    loadConfig(configSchema, { env: {}, flags: { mail: { textsDirectory: path }, texts: { directory: path } } })
  expect(problems).toThrow(/texts\.directory.*mail\.textsDirectory is its older name: set one of the two/)
})
