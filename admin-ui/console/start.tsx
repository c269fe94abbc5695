import { StrictMode } from 'react'
import type { Root } from 'react-dom/client'
import { createRoot } from 'react-dom/client'
import { ApiError } from '../../src/http/client.ts'
import { roleContract } from '../../src/identity/roles/contract.ts'
import { chosenLanguage } from '../shared/chosen-language.ts'
import { isSignedOut } from '../shared/error-messages.ts'
import { loadI18n } from '../shared/i18n.ts'
import { chooseLocale } from '../shared/language.ts'
import { I18nProvider } from '../shared/text.tsx'
import { createConsoleApi } from './api.ts'
import { App } from './app.tsx'
import { applyAppearance } from './appearance.ts'
import { consoleLanguages } from './locales/loaders.ts'
import { Unreachable } from './shell/unreachable.tsx'

/** What the server wrote into the page with its first byte. The file of development has none. */
const siteName = (): string => {
  const text = document.getElementById('settings')?.textContent
  return text ? JSON.parse(text).name : 'gatehouse'
}

const loadLanguage = async () => {
  const wanted = chooseLocale({ chosen: chosenLanguage(), uiLocales: null, browser: navigator.languages })
  const i18n = await loadI18n(consoleLanguages.includes(wanted) ? wanted : 'en', navigator.languages, ['console'])
  document.documentElement.lang = i18n.locale
  return i18n
}

/** Asks who is here and what they may do, once, while the texts arrive. Nobody: signs in and comes back to the same address. */
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
