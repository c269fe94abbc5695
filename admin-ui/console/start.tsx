import { StrictMode } from 'react'
import type { Root } from 'react-dom/client'
import { createRoot } from 'react-dom/client'
import { matchPath } from 'react-router'
import type { Locale } from '../../src/core/locale.ts'
import { ApiError } from '../../src/http/client.ts'
import { roleContract } from '../../src/identity/roles/contract.ts'
import { chosenLanguage } from '../shared/chosen-language.ts'
import { loadI18n, loadMessages } from '../shared/i18n.ts'
import { chooseLocale } from '../shared/language.ts'
import { isSignedOut } from '../shared/refusals.ts'
import { I18nProvider } from '../shared/text.tsx'
import { createConsoleApi } from './api.ts'
import { App } from './app.tsx'
import { applyAppearance } from './appearance.ts'
import { groups } from './groups.ts'
import { Unreachable } from './shell/unreachable.tsx'

/** The operator's name, which the server writes into the page. The page of the development server does not contain it. */
const siteName = (): string => {
  const text = document.getElementById('settings')?.textContent
  return text ? JSON.parse(text).name : 'gatehouse'
}

/** The screen of the present address, and the catalogues of texts that it needs in addition to those of the console's frame. */
const screenHere = () =>
  groups
    .flatMap(({ screens, texts: ofGroup }) =>
      screens.flatMap(({ path, load, texts = [], details = [] }) =>
        [...details, { path, load }].map((place) => ({
          ...place,
          texts: [ofGroup, ...texts].filter((one) => one !== undefined),
        })),
      ),
    )
    .find(({ path }) => matchPath(path, location.pathname) !== null)

/**
 * Starts loading code and texts of the screen. A failure is ignored here, because the component that needs them loads them again and
 * shows the failure.
 */
const fetchAhead = (locale: Locale) => {
  const screen = screenHere()
  for (const part of screen === undefined ? [] : [screen.load(), loadMessages(locale, screen.texts)]) part.catch(() => undefined)
}

const loadLanguage = async () => {
  const locale = chooseLocale({ chosen: chosenLanguage(), uiLocales: null, browser: navigator.languages })
  fetchAhead(locale)
  const i18n = await loadI18n(locale, navigator.languages, ['console'])
  document.documentElement.lang = i18n.locale
  return i18n
}

/**
 * Requests session and permissions once, while code and texts of the screen load. Without a session, the browser goes to the sign-in
 * page, which returns to the present address.
 */
export const start = async (element: HTMLElement): Promise<Root | undefined> => {
  applyAppearance()
  const api = createConsoleApi()
  const asked = api.call(roleContract, 'readAccess').catch((error: unknown) => {
    if (error instanceof ApiError) return error
    throw error
  })
  const i18n = await loadLanguage()
  const access = await asked
  if (access instanceof ApiError && isSignedOut(access)) {
    location.replace(`/sign-in?${new URLSearchParams({ callbackURL: location.pathname + location.search })}`)
    return undefined
  }
  element.replaceChildren()
  const root = createRoot(element)
  root.render(
    <StrictMode>
      <I18nProvider i18n={i18n}>
        {access instanceof ApiError ? <Unreachable error={access} /> : <App api={api} access={access} site={siteName()} />}
      </I18nProvider>
    </StrictMode>,
  )
  return root
}
