import type { ReactNode } from 'react'
import { StrictMode, Suspense, startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiError } from '../../src/http/client.ts'
import type { Settings } from '../shared/api.ts'
import { createHostedApi } from '../shared/api.ts'
import { chosenLanguage } from '../shared/chosen-language.ts'
import { loadI18n } from '../shared/i18n.ts'
import { chooseLocale } from '../shared/language.ts'
import { loadOwnTexts } from '../shared/own-texts.ts'
import { I18nProvider } from '../shared/text.tsx'
import { HostedContext } from './context.tsx'
import type { Typed } from './early.ts'
import { CouldNotLoad, FailureBoundary } from './failure.tsx'
import type { Page } from './pages.ts'
import { pageOf } from './pages.ts'
import { createResources } from './resources.ts'
import { Shell } from './shell.tsx'
import { Skeleton } from './skeleton.tsx'

/** If loading takes less than this, in milliseconds, no skeleton is shown, because it would only flicker. */
const skeletonAfterMs = 150

/** Reports an error like an uncaught one. A refusal by the server is not reported. */
const reportUnlessAnswer = (error: unknown) => {
  if (!(error instanceof ApiError)) reportError(error)
}

/** Loads the language of the page and sets it in the document. */
const loadLanguage = async (query: URLSearchParams, { texts }: Page, user: number | null | undefined) => {
  const browser = navigator.languages
  const wishes = { chosen: chosenLanguage(), uiLocales: query.get('ui_locales'), browser }
  const i18n = await loadI18n(chooseLocale(user === undefined ? wishes : { ...wishes, user }), browser, texts, loadOwnTexts)
  document.documentElement.lang = i18n.locale
  return i18n
}

/**
 * Requests texts, code and data of the page at once. Shows the frame, after a moment a skeleton, and the page when everything has loaded.
 * Throws if the page works without its code and the code does not load. The page is shown in a transition, because React delays content
 * after a fallback by 300 ms.
 */
export const start = async (element: HTMLElement, typed: Typed | undefined, isWhole: boolean): Promise<void> => {
  const path = location.pathname
  const query = new URLSearchParams(location.search)
  const page = pageOf(path)
  const api = createHostedApi()
  const resources = createResources(api, path, query)
  const isSessionKnown = page.needs.includes('session')
  const arriving = Promise.allSettled([
    page.load(),
    resources.siteName(),
    ...page.needs.map((name): Promise<unknown> => resources[name]()),
  ])

  let i18n = await loadLanguage(query, page, undefined)
  const root = createRoot(element, { onCaughtError: reportUnlessAnswer })
  const skeleton = <Skeleton kind={page.skeleton} client={query.has('interaction')} />
  const show = (name: string | undefined, brand: Settings['brand'] | undefined, content: ReactNode) =>
    root.render(
      <StrictMode>
        <I18nProvider i18n={i18n}>
          <HostedContext value={{ api, resources, path, query, isSessionKnown, typed }}>
            <Shell layout={page.layout} name={name} brand={brand}>
              <FailureBoundary>
                <Suspense fallback={skeleton}>{content}</Suspense>
              </FailureBoundary>
            </Shell>
          </HostedContext>
        </I18nProvider>
      </StrictMode>,
    )

  let waiting: ReturnType<typeof setTimeout> | undefined
  // If the server has written a skeleton of the page, the script first draws that same skeleton. If the server has written the whole
  // page, it stays as it is until everything is loaded.
  if (element.querySelector('.skeleton') !== null) show(await resources.siteName(), await resources.brand(), skeleton)
  else if (!element.hasChildNodes()) {
    show(undefined, undefined, null)
    waiting = setTimeout(() => show(undefined, undefined, skeleton), skeletonAfterMs)
  }
  const [code] = await arriving
  clearTimeout(waiting)
  // The browser is already sending the server's form, so the next page is loading.
  if (typed?.isSent() === true) return
  const name = await resources.siteName()
  const brand = await resources.brand()
  const session = isSessionKnown ? await resources.session().catch(() => null) : null
  // Nothing is shown yet, so the language can still change to the language of the signed-in person.
  if (session !== null) i18n = await loadLanguage(query, page, session.user.language)
  if (code.status === 'rejected') {
    if (isWhole) throw code.reason
    reportUnlessAnswer(code.reason)
    return show(name, brand, <CouldNotLoad />)
  }
  const Page = code.value
  await typed?.isStill()
  if (typed?.isSent() === true) return
  // The person may have chosen another language since the first texts were loaded.
  if (isWhole) i18n = await loadLanguage(query, page, session?.user.language)
  startTransition(() => show(name, brand, <Page />))
}
