import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { type Locale, locales } from '../../src/core/locale.ts'
import type { PaintedText, PaintFile } from '../../src/http/painted.ts'
import { ConsoleFrame } from '../console/shell/frame.tsx'
import { errorGroups, wordsOf } from '../hosted/error/codes.ts'
import { footTexts } from '../hosted/foot.tsx'
import { MessageCard } from '../hosted/message-card.tsx'
import type { Page } from '../hosted/pages.ts'
import { notFound, pages, prefixes } from '../hosted/pages.ts'
import { Card, Frame, Heading } from '../hosted/shell.tsx'
import { Skeleton } from '../hosted/skeleton.tsx'
import { gate } from '../hosted/social/gate.ts'
import { marks } from '../hosted/social/marks.ts'
import type { CatalogueName, I18n, Key } from '../shared/i18n.ts'
import { loadI18n, loadMessages } from '../shared/i18n.ts'
import type { IconName } from '../shared/icons.tsx'
import { Wordmark } from '../shared/logo.tsx'
import { moreLoaders } from '../shared/more-texts.ts'
import { I18nProvider } from '../shared/text.tsx'
import { LinkButton } from '../shared/ui.tsx'
import { drawForms, drawParts, wordsOfForms } from './forms.tsx'

/** Titles of pages that only need the page's address. The consent page is missing, because its title contains the application's name. */
const titles: Readonly<Record<string, Key>> = {
  account: 'account.title',
  'check-email': 'checkEmail.title',
  'choose-organization': 'choose.title',
  'confirm-email': 'confirmEmail.title',
  deleted: 'deleted.title',
  device: 'device.title',
  error: 'error.title',
  'forgot-password': 'forgot.title',
  invitation: 'invitation.title',
  'mail-sign-in': 'signIn.byMail',
  'not-found': 'notFound.title',
  'not-me': 'notMe.title',
  organizations: 'account.organizations',
  'recover-address': 'recover.title',
  'reset-password': 'reset.title',
  'select-account': 'select.title',
  setup: 'setup.title',
  'sign-in': 'signIn.title',
  'sign-out': 'signOut.title',
  'sign-up': 'signUp.title',
  'stop-recovery': 'stop.title',
  'two-factor': 'step.title',
  verified: 'verified.title',
}

/** Pages that are the same for everybody. They are rendered completely, so they need no script. */
const messages: Readonly<Record<string, (t: I18n['t']) => ReactNode>> = {
  deleted: (t) => (
    <MessageCard icon="check" title={t('deleted.title')} text={t('deleted.text')}>
      <div className="actions">
        <LinkButton kind="secondary" href="/sign-in">
          {t('common.toSignIn')}
        </LinkButton>
      </div>
    </MessageCard>
  ),
  verified: (t) => (
    <MessageCard icon="check" title={t('verified.title')} text={t('verified.text')}>
      <div className="actions">
        <LinkButton href="/account">{t('common.continue')}</LinkButton>
      </div>
    </MessageCard>
  ),
}

/** The part of the error page that is the same for everybody. The script adds the details of the error below it. */
const errorPage = (t: I18n['t'], code: string) => {
  const words = wordsOf(code)
  return {
    title: t(words.title),
    page: (
      <MessageCard icon="alert" tone="warn" title={t(words.title)} text={t(words.text)}>
        <div className="actions">
          <LinkButton href="/sign-in">{t('common.toSignIn')}</LinkButton>
        </div>
      </MessageCard>
    ),
  }
}

/** The folder that contains the code of a page. */
const folderOf = (path: string) => (path === '/account/deleted' ? 'deleted' : path.slice(1))
const prefixFolders = ['organizations', 'account', 'invitation']

const codeOf = (folder: string) =>
  (folder === 'organizations' ? ['account/page.tsx', 'organizations/area.tsx'] : [`${folder}/page.tsx`]).map(
    (file) => `hosted/${file}`,
  )

const catalogues = Object.keys(moreLoaders) as CatalogueName[]
/** The file of a catalogue in a language, with the pages' import query. */
const fileOf = (catalogue: CatalogueName | 'pages', locale: Locale) => {
  const bundle = catalogue === 'account' || catalogue === 'organizations' || catalogue === 'console' ? catalogue : 'pages'
  return `locales/${bundle}/${locale}.json?only=${catalogue}`
}

/** Catalogues with texts of the forms that the server writes, in addition to the catalogue of every page. */
const ofForms = ['userNames', 'secondFactor'] as const

const textsOf = (locale: Locale, { texts }: Page) => [
  fileOf('pages', locale),
  ...(texts.length === 0 ? [] : ['shared/more-texts.ts']),
  ...texts.map((name) => fileOf(name, locale)),
]

/**
 * Replaces each text by a placeholder, because the operator may have changed the text and the server inserts it. Records the keys and
 * texts in `used`.
 */
type UsedTexts = Map<string, PaintedText>
const leavingKeys = (i18n: I18n, used: UsedTexts): I18n => ({
  ...i18n,
  t: (key, ...params) => {
    const text = i18n.t(key, ...params)
    if (params.length > 0) return text
    used.set(key, text)
    return `{{t:${key}}}`
  },
  serverMessage: (code) => {
    const text = i18n.serverMessage(code)
    if (text === undefined) return undefined
    used.set(`serverError.${code}`, text)
    return `{{t:serverError.${code}}}`
  },
})

/** The message after a mail was sent. The script adds the address and a button that sends the mail again. */
const sentPage = (t: I18n['t']) => (
  <MessageCard icon="mail" title={t('checkEmail.title')} text="{{t:forgotSent.text}}">
    <div className="actions">
      <LinkButton kind="secondary" href="/sign-in">
        {t('common.toSignIn')}
      </LinkButton>
    </div>
  </MessageCard>
)

const paintPage = async (folder: string, page: Page, locale: Locale, used: UsedTexts) => {
  const i18n = leavingKeys(await loadI18n(locale, [], catalogues), used)
  const draw = (content: ReactNode) => renderToStaticMarkup(<I18nProvider i18n={i18n}>{content}</I18nProvider>)
  const skeleton = (client: boolean) => draw(<Skeleton kind={page.skeleton} client={client} />)
  const title = titles[folder]
  const message = messages[folder]
  const paintError = (code: string) => {
    const { title, page } = errorPage(i18n.t, code)
    return { title, content: draw(page) }
  }
  const errors = {
    unknown: paintError(''),
    ...Object.fromEntries(Object.entries(errorGroups).map(([group, codes]) => [group, paintError(codes[0] ?? '')])),
  }
  return {
    ...(folder === 'error' ? { errors } : {}),
    title: title === undefined ? null : i18n.t(title as 'common.loading'),
    content:
      message === undefined
        ? { plain: skeleton(false), client: skeleton(true), other: skeleton(false) }
        : { plain: draw(message(i18n.t)), client: skeleton(true), other: skeleton(false) },
    ...drawForms(folder, draw),
    ...(folder === 'forgot-password' ? { sent: draw(sentPage(i18n.t)) } : {}),
    files: textsOf(locale, page),
  }
}

/** Texts that only the server writes, for browsers without script or before it runs. */
const serverTexts: Readonly<Record<string, Readonly<Record<string, string>>>> = import.meta.glob('../locales/pages/*.json', {
  query: '?only=server',
  import: 'server',
  eager: true,
})
const wordsOfServer = (locale: Locale) => serverTexts[`../locales/pages/${locale}.json`]

const noScript = renderToStaticMarkup(
  <noscript>
    <Card>
      <Heading title="{{t:noScript.title}}">{'{{t:noScript.text}}'}</Heading>
    </Card>
  </noscript>,
)

/** The page that leads to another address. Its link is for browsers that do not go there by themselves. */
const leaving = renderToStaticMarkup(
  <MessageCard icon="arrow" title="{{t:leaving.title}}" text="{{t:leaving.text}}">
    <div className="actions">
      <LinkButton href="{url}">{'{{t:common.continue}}'}</LinkButton>
    </div>
  </MessageCard>,
)

/** A whole page about a problem. It loads no files, because the server might refuse them, too. Its link leads to the same address. */
const problemPage = (title: string, text: string, icon: IconName, hasRequestId = false) => ({
  title,
  content: renderToStaticMarkup(
    <MessageCard icon={icon} tone="warn" title={title} text={text}>
      <div className="actions">
        <LinkButton href="">{'{{t:tooMany.again}}'}</LinkButton>
      </div>
      {hasRequestId ? (
        <dl className="details">
          <div>
            <dt>{'{{t:failed.requestId}}'}</dt>
            <dd>{'{requestId}'}</dd>
          </div>
        </dl>
      ) : null}
    </MessageCard>,
  ),
})

const frame = (layout: 'card' | 'wide', background: 'arches' | 'plain') =>
  renderToStaticMarkup(
    <Frame
      layout={layout}
      background={background}
      signs="{{signs}}"
      isWaiting
      foot={
        <span className="language">
          <span className="language-select">&nbsp;</span>
        </span>
      }
    >
      {'{{content}}'}
    </Frame>,
  )

const signs = (brand: { readonly isNamed: boolean; readonly logo: boolean; readonly dark: boolean }) =>
  renderToStaticMarkup(
    <Wordmark
      name="{{name}}"
      brand={{
        isNamed: brand.isNamed,
        logo: brand.logo ? '{{logo}}' : null,
        logoDark: brand.dark ? '{{logoDark}}' : null,
      }}
    />,
  )

/** The first paint of every page, rendered by the page's components. Files are named by their source paths. */
const paintPages = async (): Promise<PaintFile> => {
  const noted: UsedTexts = new Map()
  const partsI18n = leavingKeys(await loadI18n('en', [], ['links', ...ofForms]), noted)
  const parts = drawParts((content) => renderToStaticMarkup(<I18nProvider i18n={partsI18n}>{content}</I18nProvider>), partsI18n.t)
  const all: readonly (readonly [folder: string, page: Page])[] = [
    ...Object.entries(pages).map(([path, page]) => [folderOf(path), page] as const),
    ...prefixes.map(([, page], index) => [prefixFolders[index] ?? '', page] as const),
    ['not-found', notFound],
  ]
  const pageOf = (folder: string, { layout, needs }: Page) => ({
    name: folder,
    frame: layout,
    session: needs.includes('session'),
    marks: needs.includes('marks'),
    files: ['hosted/start.tsx', ...codeOf(folder)],
    styles: codeOf(folder),
  })
  const paintLanguage = async (locale: Locale) => {
    const used: UsedTexts = new Map<string, PaintedText>(Object.entries(wordsOfServer(locale) ?? {}))
    const painting = all.map(async ([folder, page]) => [folder, await paintPage(folder, page, locale, used)] as const)
    const pagesOf = Object.fromEntries(await Promise.all(painting))
    const formWords = wordsOfForms(leavingKeys(await loadI18n(locale, [], ofForms), used))
    // Texts of the parts of a page, and texts with placeholders that the server fills in itself.
    const messages: Readonly<Record<string, PaintedText>> = await loadMessages(locale, ofForms)
    for (const [, key = ''] of JSON.stringify(parts).matchAll(/\{\{t:([\w.-]+)\}\}/g))
      used.set(key, messages[key] ?? used.get(key) ?? '')
    for (const key of ['social.continueWith', 'field.passwordRule', 'field.email', 'field.emailOrName'])
      used.set(key, messages[key] ?? '')
    return [locale, { noScript, formWords, footWords: footTexts[locale], pages: pagesOf, texts: Object.fromEntries(used) }]
  }
  const consoleLanguage = async (locale: Locale) => {
    const { t } = await loadI18n(locale, [], ['console'])
    return [locale, { title: t('console.title'), files: [fileOf('pages', locale), fileOf('console', locale)] }] as const
  }
  return {
    paths: Object.fromEntries(Object.entries(pages).map(([path, page]) => [path, pageOf(folderOf(path), page)])),
    prefixes: prefixes.map(([pattern, page], index) => [pattern.source, pageOf(prefixFolders[index] ?? '', page)] as const),
    notFound: pageOf('not-found', notFound),
    marks,
    gate,
    parts,
    leaving,
    problems: {
      tooMany: problemPage('{{t:tooMany.title}}', '{{t:tooMany.text}}', 'alert'),
      failed: problemPage('{{t:failed.title}}', '{{t:failed.text}}', 'alert', true),
      unavailable: problemPage('{{t:unavailable.title}}', '{{t:unavailable.text}}', 'clock'),
      maintenance: problemPage('{{t:maintenance.title}}', '{{t:maintenance.text}}', 'clock'),
    },
    errorGroups: Object.fromEntries(
      Object.entries(errorGroups).flatMap(([group, codes]) => codes.map((code) => [code, group] as const)),
    ),
    console: {
      frame: renderToStaticMarkup(<ConsoleFrame />),
      languages: Object.fromEntries(await Promise.all(locales.map(consoleLanguage))),
    },
    frames: {
      'card arches': frame('card', 'arches'),
      'card plain': frame('card', 'plain'),
      'wide arches': frame('wide', 'arches'),
      'wide plain': frame('wide', 'plain'),
    },
    signs: {
      mark: signs({ isNamed: false, logo: false, dark: false }),
      name: signs({ isNamed: true, logo: false, dark: false }),
      logo: signs({ isNamed: true, logo: true, dark: false }),
      logos: signs({ isNamed: true, logo: true, dark: true }),
    },
    languages: Object.fromEntries(await Promise.all(locales.map(paintLanguage))),
  }
}

/** Rendered while this file is loaded, because its loader does not exist later. */
export const painted: PaintFile = await paintPages()

/** All texts of the pages. The server compares the operator's texts with them. */
export const pageTexts: Readonly<Record<string, object>> = Object.fromEntries(
  await Promise.all(
    locales.map(async (locale) => [locale, { ...(await loadMessages(locale, catalogues)), ...wordsOfServer(locale) }] as const),
  ),
)
