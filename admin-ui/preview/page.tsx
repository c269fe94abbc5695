import { Suspense, useMemo } from 'react'
import { Decision } from '../hosted/consent/decision.tsx'
import consentCss from '../hosted/consent.css?inline'
import { HostedContext } from '../hosted/context.tsx'
import hostedCss from '../hosted/hosted.css?inline'
import type { Resources } from '../hosted/resources.ts'
import { Shell } from '../hosted/shell.tsx'
import { SignInPage } from '../hosted/sign-in/page.tsx'
import { marks } from '../hosted/social/marks.ts'
import type { Interaction, Settings } from '../shared/api.ts'
import { createHostedApi } from '../shared/api.ts'
import type { I18n } from '../shared/i18n.ts'
import { I18nProvider } from '../shared/text.tsx'

export const pageCss = hostedCss + consentCss

/** The application whose sign-in the preview shows. */
const application: Interaction['client'] = {
  ...{ clientId: 'example', name: 'Example application', logo: null, redirectHost: 'app.example.com' },
  ...{ uri: null, policyUri: null, tosUri: null, standing: 'registered' },
}

const interactionFor = (user: Interaction['user']): Interaction => ({
  ...{ uid: 'preview', prompt: 'consent', signInPage: '/sign-in', client: application },
  ...{ scopes: ['openid', 'profile', 'email'], newScopes: ['openid', 'profile', 'email'], apis: [], organization: null },
  ...{ organizations: [], needsOrganizationChoice: false, stepUp: null, loginHint: null, user },
})

/**
 * The brand with the logo for the given theme only. Pages choose between two logos by the system's theme, which may differ from the theme
 * of the preview.
 */
const brandIn = (theme: Theme, brand: Settings['brand']): Settings['brand'] => ({
  ...brand,
  logo: theme === 'dark' ? (brand.logoDark ?? brand.logo) : brand.logo,
  logoDark: null,
})

/** An API client that refuses all calls, because a preview only shows pages. */
const refusing = createHostedApi(() => Promise.reject(new Error('a preview calls nothing')))

/** Switches off automatic actions of pages, which would affect the console. */
const quiet = { socialAutoRedirect: false } as const satisfies Partial<Settings>

/** Resources with the given settings, which make no request. */
const resourcesOf = (settings: Settings): Resources => {
  const fixed = <T,>(value: T) => {
    const promise = Promise.resolve(value)
    return () => promise
  }
  return {
    ...{ settings: fixed(settings), siteName: fixed(settings.name), brand: fixed(settings.brand), marks: fixed(marks) },
    ...{ session: fixed(null), interaction: fixed('none' as const), setupLink: fixed('none' as const) },
    ...{ verification: fixed('invalid' as const), recovery: fixed('invalid' as const), reset: fixed('invalid' as const) },
    deviceRequest: fixed('none' as const),
    ...{ secondStep: fixed('over' as const), signOutQuestion: fixed('over' as const), invitation: fixed('none' as const) },
  }
}

type Theme = 'light' | 'dark'

interface PreviewPageProps {
  readonly kind: 'signIn' | 'consent'
  readonly theme: Theme
  readonly settings: Settings
  /** The person in the consent page. */
  readonly user: NonNullable<Interaction['user']>
  /** Texts of the pages, including the texts that the operator has changed. */
  readonly i18n: I18n
}

const noQuery = new URLSearchParams()

/** A page as people see it, rendered by its components. */
export const PreviewPage = ({ kind, theme, settings: given, user, i18n }: PreviewPageProps) => {
  const settings = useMemo(() => ({ ...given, brand: brandIn(theme, given.brand) }), [given, theme])
  const resources = useMemo(() => resourcesOf({ ...settings, ...quiet }), [settings])
  return (
    <I18nProvider i18n={i18n}>
      <HostedContext
        value={{
          api: refusing,
          resources,
          path: '/sign-in',
          query: noQuery,
          isSessionKnown: false,
          typed: undefined,
          isPreview: true,
        }}
      >
        <Shell layout="card" name={settings.name} brand={settings.brand}>
          <Suspense>{kind === 'signIn' ? <SignInPage /> : <Decision interaction={interactionFor(user)} user={user} />}</Suspense>
        </Shell>
      </HostedContext>
    </I18nProvider>
  )
}
