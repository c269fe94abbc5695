import type { Locale } from '../core/locale.ts'
import { escapeHtml } from '../core/web.ts'

/** Words of a mail. All of them are text: whatever a person wrote stays what it is. */
export interface MailContent {
  /** English when not named. */
  readonly language?: Locale
  readonly subject: string
  readonly heading: string
  readonly paragraphs: readonly string[]
  /** Six digits to type, shown large behind the first paragraph. */
  readonly code?: string
  readonly action: { readonly label: string; readonly url: string }
  readonly footnote: string
}

export interface RenderedMail {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Control characters become blanks: a line break in a name must begin neither a header nor a paragraph. Nothing turns the direction of writing. */
const oneLine = (text: string): string =>
  text
    .replace(/\p{Bidi_Control}/gu, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()

const longestSubject = 150

/** The content as it is shown, whatever was filled in. */
const clean = (content: MailContent): MailContent => ({
  ...content,
  subject: [...oneLine(content.subject)].slice(0, longestSubject).join(''),
  heading: oneLine(content.heading),
  paragraphs: content.paragraphs.map(oneLine),
  action: { ...content.action, label: oneLine(content.action.label) },
  footnote: oneLine(content.footnote),
})

/** Stands above the address that a button leads to. */
const linkHint: Readonly<Record<Locale, string>> = {
  ru: 'Если кнопка не работает, откройте этот адрес:',
  uk: 'Якщо кнопка не працює, відкрийте цю адресу:',
  en: 'If the button does not work, open this address:',
  es: 'Si el botón no funciona, abre esta dirección:',
  de: 'Wenn die Schaltfläche nicht funktioniert, öffnen Sie diese Adresse:',
  pl: 'Jeśli przycisk nie działa, otwórz ten adres:',
  fr: 'Si le bouton ne fonctionne pas, ouvrez cette adresse :',
  tr: 'Düğme çalışmazsa bu adresi açın:',
}

/** Colours that mail clients with a dark mode replace; the others keep the inline ones. */
const darkStyle = `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
  .page { background: #0f1115 !important; }
  .card { background: #181b21 !important; border-color: #2a2f38 !important; }
  .strong { color: #f2f4f7 !important; }
  .text { color: #c9ced6 !important; }
  .faint, .faint a { color: #98a0ac !important; }
  .button { background: #f2f4f7 !important; color: #0f1115 !important; }
}`

const font = "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"

const codeBox = (code: string) =>
  `<p class="strong" style="margin:0 0 16px;font-size:32px;line-height:1.3;font-weight:600;letter-spacing:6px;color:#14181f">${escapeHtml(code)}</p>`

const htmlOf = (content: MailContent): string => {
  const { label } = content.action
  const url = escapeHtml(content.action.url)
  const paragraph = (text: string) =>
    `<p class="text" style="margin:0 0 16px;font-size:16px;line-height:1.5;color:#3a414d">${escapeHtml(text)}</p>`
  const code = content.code === undefined ? '' : codeBox(content.code)
  const [first = '', ...others] = content.paragraphs.map(paragraph)
  return `<!doctype html>
<html lang="${content.language ?? 'en'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(content.subject)}</title>
<style>${darkStyle}
</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f4f5f7">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#f4f5f7">
<tr><td align="center" style="padding:40px 16px">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" border="0"
 style="max-width:520px;background:#ffffff;border:1px solid #e3e6ea;border-radius:12px;${font}">
<tr><td style="padding:36px 36px 32px;text-align:left">
<h1 class="strong" style="margin:0 0 16px;font-size:22px;line-height:1.3;font-weight:600;color:#14181f">${escapeHtml(content.heading)}</h1>
${[first, code, ...others].filter((part) => part !== '').join('\n')}
<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:24px 0 28px"><tr><td>
<a class="button" href="${url}" rel="noopener"
 style="display:inline-block;padding:13px 22px;border-radius:8px;background:#14181f;color:#ffffff;font-size:16px;font-weight:600;text-decoration:none">${escapeHtml(label)}</a>
</td></tr></table>
<p class="faint" style="margin:0 0 12px;font-size:13px;line-height:1.5;color:#69717d">${escapeHtml(content.footnote)}</p>
<p class="faint" style="margin:0;font-size:13px;line-height:1.5;color:#69717d;word-break:break-all">${linkHint[content.language ?? 'en']}<br>
<a href="${url}" style="color:#69717d">${url}</a></p>
</td></tr></table>
</td></tr></table>
</body>
</html>
`
}

/** One layout for all mails: HTML for most readers and the same content as text. Refuses a link that is no web address. */
export const renderMail = (given: MailContent): RenderedMail => {
  if (!/^https?:$/.test(URL.parse(given.action.url)?.protocol ?? '')) throw new Error('the link of a mail must be a web address')
  const content = clean(given)
  const { heading, paragraphs, code, action, footnote } = content
  const [first = '', ...others] = paragraphs
  const text = [
    heading,
    first,
    ...(code === undefined ? [] : [code]),
    ...others,
    `${action.label}:\n${action.url}`,
    footnote,
  ].join('\n\n')
  return { subject: content.subject, text: `${text}\n`, html: htmlOf(content) }
}
