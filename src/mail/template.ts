import { readableAddresses } from '../core/idna.ts'
import { fillIn } from '../core/language.ts'
import type { Locale } from '../core/locale.ts'
import { escapeHtml } from '../core/web.ts'
import type { GroundColors, MailFrame } from './frame.ts'

/** Why a person gets the mail: because of their account, because of an invitation, or because an operator tests something. */
type MailReason = 'account' | 'invitation' | 'test'

/** The content of a mail. All texts are plain text, so what users have typed appears as it is. */
export interface MailContent {
  /** The language of the mail. If absent, it is English. */
  readonly language?: Locale
  readonly subject: string
  /** A small square image from this server, shown above the subject. It is left out if mail programs would not load it. */
  readonly picture?: { readonly url: string; readonly alt: string } | undefined
  /** The greeting. It is shown below the subject, which is the mail's heading. */
  readonly heading: string
  readonly paragraphs: readonly string[]
  /** A code of six digits that the reader has to type. It is shown large, after the first paragraph. */
  readonly code?: string
  /** Rows such as "Device: Firefox on Linux". They are shown after the paragraphs. */
  readonly facts?: readonly Fact[]
  readonly action: { readonly label: string; readonly url: string }
  readonly footnote: string
  /** The reason that the footer gives for the mail. If absent, it is `account`. */
  readonly reason?: MailReason
}

export interface Fact {
  readonly label: string
  readonly value: string
}

export interface RenderedMail {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/**
 * Replaces control characters by blanks, so that a line break in a name cannot begin a new header or paragraph. Characters that change
 * the direction of text are removed.
 */
const oneLine = (text: string): string =>
  readableAddresses(text)
    .replace(/\p{Bidi_Control}/gu, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()

const longestSubject = 150

/** Adds the company's name to the subject, unless the subject already contains it. Titles of pages have the same form. */
const subjectOf = (subject: string, { name, isNamed }: MailFrame): string => {
  const company = isNamed && !subject.includes(name) ? ` · ${oneLine(name)}` : ''
  const words = [...oneLine(subject)].slice(0, longestSubject - [...company].length)
  return words.join('').trimEnd() + company
}

/** The content in the form in which it is displayed, with all default values. */
const clean = (content: MailContent, frame: MailFrame) => ({
  ...content,
  subject: subjectOf(content.subject, frame),
  title: oneLine(content.subject),
  heading: oneLine(content.heading),
  paragraphs: content.paragraphs.map(oneLine),
  facts: (content.facts ?? []).map(({ label, value }) => ({ label: oneLine(label), value: oneLine(value) })),
  action: { ...content.action, label: oneLine(content.action.label) },
  footnote: oneLine(content.footnote),
})

/** The style rules for dark mode. Mail programs that do not support them use the inline colours. */
const darkStyle = (
  { fill, text, edge }: MailFrame['button']['dark'],
  { ground, surface, line, ink, inkSoft, inkFaint }: MailFrame['grounds']['dark'],
) => `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (max-width: 480px) {
  .inner { padding: 28px 22px 26px !important; }
}
@media (prefers-color-scheme: dark) {
  .page { background: ${ground} !important; }
  .card { background: ${surface} !important; border-color: ${line} !important; }
  .strong { color: ${ink} !important; }
  .text { color: ${inkSoft} !important; }
  .faint, .faint a { color: ${inkFaint} !important; }
  .facts { border-color: ${line} !important; }
  .button { background: ${fill} !important; color: ${text} !important; border-color: ${edge} !important; }
  .on-light { display: none !important; }
  .on-dark { display: block !important; max-height: none !important; }
}`

const font = "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"

/** The picture is shown so small that text in it cannot be read, because it may come from an unknown person. */
const pictureBox = ({ url, alt }: NonNullable<MailContent['picture']>) =>
  `<img src="${escapeHtml(url)}" alt="${escapeHtml(oneLine(alt))}" width="40" height="40" style="display:block;width:40px;height:40px;margin:0 0 16px;border:0;border-radius:8px;background:#ffffff">\n`

const codeBox = (code: string, { ink }: GroundColors) =>
  `<p class="strong" style="margin:0 0 16px;font-size:32px;line-height:1.3;font-weight:600;letter-spacing:6px;color:${ink}">${escapeHtml(code)}</p>`

const factRows = (facts: readonly Fact[], { ink, inkFaint, line }: GroundColors) => {
  if (facts.length === 0) return ''
  const cell = 'padding:7px 0;font-size:15px;line-height:1.4;vertical-align:top;text-align:left'
  const rows = facts.map(
    ({ label, value }) =>
      `<tr><th class="faint" scope="row" width="1%" style="${cell};padding-right:20px;white-space:nowrap;font-weight:400;color:${inkFaint}">${escapeHtml(label)}</th>` +
      `<td class="strong" style="${cell};color:${ink};word-break:break-word">${escapeHtml(value)}</td></tr>`,
  )
  return `<table class="facts" width="100%" cellpadding="0" cellspacing="0" border="0"
 style="margin:4px 0 20px;border-top:1px solid ${line};border-bottom:1px solid ${line}">
${rows.join('\n')}
</table>`
}

/**
 * The logo, or the name if there is no logo. Some mail programs support dark mode, but cannot replace an image. They show the logo for
 * light backgrounds.
 */
const headerOf = ({ name, logo, grounds }: MailFrame) => {
  const { ink } = grounds.light
  const shown = escapeHtml(oneLine(name))
  if (logo === null) return `<p class="strong" style="margin:0;font-size:17px;font-weight:600;color:${ink}">${shown}</p>`
  const image = (className: string, url: string, style: string) =>
    `<img class="${className}" src="${escapeHtml(url)}" alt="${shown}" height="36" style="${style};height:36px;width:auto;max-width:240px;border:0;font-size:17px;font-weight:600;color:${ink}">`
  if (logo.darkUrl === null) return image('strong', logo.url, 'display:block')
  return (
    image('on-light', logo.url, 'display:block') + image('on-dark strong', logo.darkUrl, 'display:none;max-height:0;mso-hide:all')
  )
}

const linksOf = ({ links: { support, privacy } }: MailFrame, texts: ReturnType<MailFrame['texts']>) =>
  [
    { label: texts.help, url: support },
    { label: texts.privacy, url: privacy },
  ].flatMap(({ label, url }) => (url === undefined ? [] : [{ label, url }]))

interface Parts {
  readonly content: ReturnType<typeof clean>
  readonly frame: MailFrame
  readonly foot: string
  readonly links: ReturnType<typeof linksOf>
  readonly linkHint: string
}

/**
 * The hidden text that lists of mails show after the subject. It does not repeat the first words of the mail, and never contains the
 * code. Blanks follow it, so that lists do not show any further text.
 */
const preheader = ({ facts, footnote }: Pick<Parts['content'], 'facts' | 'footnote'>) => {
  const text = facts.length === 0 ? footnote : facts.map(({ value }) => value).join(' · ')
  return `<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${escapeHtml(text)}${'&#847;&zwnj;&nbsp;'.repeat(60)}</div>`
}

/** How long a segment of a path can be that a person has chosen. Longer segments are tokens. */
const longestSegment = 20

/**
 * A short form of a URL for people: host and page. Tokens and parameters are left out. The plain-text part of the mail contains the
 * complete URL.
 */
const shortAddress = (url: string): string => {
  const { host, pathname, search, hash } = new URL(url)
  const segments = pathname.split('/').filter((segment) => segment !== '')
  const end = segments.findIndex((segment) => segment.length > longestSegment)
  const shown = [host, ...(end < 0 ? segments : segments.slice(0, end))].join('/')
  return end < 0 && search === '' && hash === '' ? shown : `${shown}/…`
}

const htmlOf = ({ content, frame, foot, links, linkHint }: Parts): string => {
  const { fill, text: onFill, edge } = frame.button.light
  const colors = frame.grounds.light
  const { ground, surface, line, ink, inkSoft, inkFaint } = colors
  const url = escapeHtml(content.action.url)
  const paragraph = (text: string) =>
    `<p class="text" style="margin:0 0 16px;font-size:16px;line-height:1.5;color:${inkSoft}">${escapeHtml(text)}</p>`
  const code = content.code === undefined ? '' : codeBox(content.code, colors)
  const [first = '', ...others] = content.paragraphs.map(paragraph)
  const footLinks = links.map(
    ({ label, url }) => `<a href="${escapeHtml(url)}" rel="noopener" style="color:${inkFaint}">${escapeHtml(label)}</a>`,
  )
  return `<!doctype html>
<html lang="${content.language ?? 'en'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(content.subject)}</title>
<style>${darkStyle(frame.button.dark, frame.grounds.dark)}
</style>
</head>
<body class="page" style="margin:0;padding:0;background:${ground}">
${preheader(content)}
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:${ground}">
<tr><td align="center" style="padding:32px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:520px;${font}">
<tr><td style="padding:0 4px 16px;text-align:left">
${headerOf(frame)}
</td></tr></table>
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" border="0"
 style="max-width:520px;background:${surface};border:1px solid ${line};border-radius:${frame.corners.card}px;${font}">
<tr><td class="inner" style="padding:36px 36px 32px;text-align:left">
${content.picture === undefined ? '' : pictureBox(content.picture)}<h1 class="strong" style="margin:0 0 16px;font-size:22px;line-height:1.3;font-weight:600;color:${ink}">${escapeHtml(content.title)}</h1>
${[paragraph(content.heading), first, code, ...others, factRows(content.facts, colors)].filter((part) => part !== '').join('\n')}
<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:24px 0 28px"><tr><td>
<a class="button" href="${url}" rel="noopener"
 style="display:inline-block;padding:12px 22px;border:1px solid ${edge};border-radius:${frame.corners.button}px;background:${fill};color:${onFill};font-size:16px;font-weight:600;text-decoration:none">${escapeHtml(content.action.label)}</a>
</td></tr></table>
<p class="faint" style="margin:0 0 12px;font-size:13px;line-height:1.5;color:${inkFaint}">${escapeHtml(content.footnote)}</p>
<p class="faint" style="margin:0;font-size:13px;line-height:1.5;color:${inkFaint};word-break:break-word">${linkHint}<br>
<a href="${url}" style="color:${inkFaint}">${escapeHtml(shortAddress(content.action.url))}</a></p>
</td></tr></table>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:520px;${font}">
<tr><td class="faint" style="padding:16px 4px 0;text-align:left;font-size:13px;line-height:1.5;color:${inkFaint}">
${[escapeHtml(foot), ...(footLinks.length === 0 ? [] : [footLinks.join(' · ')])].join('<br>\n')}
</td></tr></table>
</td></tr></table>
</body>
</html>
`
}

const textOf = ({ content, frame, foot, links }: Parts): string => {
  const { title, heading, paragraphs, code, facts, action, footnote } = content
  const [first = '', ...others] = paragraphs
  return [
    oneLine(frame.name),
    title,
    heading,
    first,
    ...(code === undefined ? [] : [code]),
    ...others,
    ...(facts.length === 0 ? [] : [facts.map(({ label, value }) => `${label}: ${value}`).join('\n')]),
    `${action.label}:\n${action.url}`,
    footnote,
    ['-- ', foot, ...links.map(({ label, url }) => `${label}: ${url}`)].join('\n'),
  ].join('\n\n')
}

/** Renders a mail as HTML, and with the same content as plain text. Throws if a link is not an `http:` or `https:` URL. */
export const renderMail = (given: MailContent, frame: MailFrame): RenderedMail => {
  if (!/^https?:$/.test(URL.parse(given.action.url)?.protocol ?? '')) throw new Error('the link of a mail must be a web address')
  const content = clean(given, frame)
  const texts = frame.texts(content.language ?? 'en')
  const foot = oneLine(fillIn(texts[content.reason ?? 'account'], { company: frame.name, host: frame.host }))
  const parts = { content, frame, foot, links: linksOf(frame, texts), linkHint: texts.linkHint }
  return { subject: content.subject, text: `${textOf(parts)}\n`, html: htmlOf(parts) }
}
