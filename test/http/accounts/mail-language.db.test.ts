import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { languageCodes } from '../../../src/core/locale.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { mailTo } from '../../support/mailbox.ts'
import { type Smtp, startSmtp } from '../../support/smtp.ts'

let smtp: Smtp
let t: TestApp
let count = 0
let email = ''

beforeAll(async () => {
  smtp = await startSmtp()
  t = await testApp({ config: { smtpUrl: smtp.url, accounts: { verifyOnSignUp: true, deleteUserVerification: true } } })
})
afterAll(async () => {
  await t.stop()
  await smtp.stop()
})
beforeEach(() => {
  count += 1
  email = `ann${count}@example.com`
})

const signUp = async (acceptLanguage?: string) => {
  const client = t.client()
  const headers = acceptLanguage === undefined ? {} : { 'accept-language': acceptLanguage }
  await client.post('/sign-up/email', { email, name: 'Ann', password }, headers)
  return client
}

test.each([
  [undefined, 'Confirm your email address', 'Hello Ann'],
  ['de-AT,de;q=0.9,en;q=0.8', 'Bestätigen Sie Ihre E-Mail-Adresse', 'Guten Tag, Ann'],
  ['ja, uk;q=0.5', 'Підтвердьте адресу ел. пошти', 'Вітаємо, Ann'],
  ['en;q=0.2, fr;q=0.9', 'Confirmez votre adresse e-mail', 'Bonjour Ann'],
  ['ja', 'Confirm your email address', 'Hello Ann'],
  ['fr;q=0, tr;q=0.1', 'E-posta adresinizi onaylayın', 'Merhaba Ann'],
  [',;q=x,=;;', 'Confirm your email address', 'Hello Ann'],
])('a mail is in the language that the request asks for: %s', async (acceptLanguage, subject, heading) => {
  await signUp(acceptLanguage)
  const mail = await mailTo(smtp, email)
  expect(mail.subject).toBe(subject)
  expect(mail.text).toContain(`\n${heading}`)
  expect(mail.html).toContain(heading)
})

test('every part of a mail is in one language: button, hint and the text for screen readers', async () => {
  await signUp('pl')
  const { html, text, link } = await mailTo(smtp, email)
  expect(html).toContain('<html lang="pl">')
  expect(html).toContain('Jeśli przycisk nie działa, otwórz ten adres:')
  expect(text).toContain('Czas ważności linku: 60 minut.')
  expect(link).toContain(`${t.url}/verify-email?token=`)
})

test('the language chosen by a user overrides the language of the request', async () => {
  const client = await signUp('de')
  await client.api.profile.updateUser({ body: { language: languageCodes.es } })
  await client.post('/delete-user', { password }, { 'accept-language': 'de' })
  expect((await mailTo(smtp, email, 2)).subject).toBe('Elimina tu cuenta')
})

test("a reset mail requested without a session is in the browser's language unless the user has chosen a language", async () => {
  const client = await signUp('en')
  const ask = () => t.client().post('/request-password-reset', { email }, { 'accept-language': 'ru' })
  await ask()
  expect((await mailTo(smtp, email, 2)).subject).toBe('Задайте новый пароль')
  await client.api.profile.updateUser({ body: { language: languageCodes.tr } })
  await ask()
  const mail = await mailTo(smtp, email, 3)
  expect(mail.subject).toBe('Yeni bir parola belirleyin')
  const token = new URL(mail.link).pathname.split('/').at(-1)
  await t.client().post('/reset-password', { token, newPassword: 'another battery' }, { 'accept-language': 'ru' })
  expect((await mailTo(smtp, email, 4)).subject).toBe('Parolanız değiştirildi')
})

test('both mails about a changed email address are in the language of the request', async () => {
  const client = await signUp('en')
  await client.post('/change-email', { newEmail: `new-${email}` }, { 'accept-language': 'fr' })
  expect((await mailTo(smtp, email, 2)).subject).toBe('Votre adresse e-mail a été modifiée')
  expect((await mailTo(smtp, `new-${email}`)).subject).toBe('Confirmez votre adresse e-mail')
})

test('the notice of a sign-in from a new browser is in the language of the account’s owner', async () => {
  const client = await signUp('en')
  await t.verify(email)
  await client.api.profile.updateUser({ body: { language: languageCodes.uk } })
  await t
    .client()
    .post('/sign-in/email', { email, password }, { 'user-agent': 'Firefox/140.0 (X11; Linux)', 'accept-language': 'de' })
  const mail = await mailTo(smtp, email, 2)
  expect(mail.subject).toMatch(/^Новий вхід: /)
  expect(mail.link).toContain(`${t.url}/not-me`)
})
