import { useEffect, useRef, useState } from 'react'
import type { Provider } from '../../shared/api.ts'
import type { FormProblem } from '../../shared/error-messages.ts'
import { errorMessages } from '../../shared/error-messages.ts'
import { FormEnd } from '../../shared/form.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useHosted } from '../context.tsx'
import { goTo, pageUrl, returnUrlOf } from '../return-url.ts'
import { lastUsed, rememberUsed } from './last-used.ts'
import { ProviderMark } from './mark.tsx'
import { takeRedirect } from './redirect.ts'

/** From this number on, the buttons are in two columns and show only names. */
const manyProviders = 3
/** Number of buttons that are shown at first. Another button shows the rest. */
const shownAtOnce = 4

/** Starts a federated sign-in and goes to the provider. */
const useSocialSignIn = (destination: string | undefined) => {
  const { api, query } = useHosted()
  const i18n = useI18n()
  const [leaving, setLeaving] = useState<string>()
  const [problem, setProblem] = useState<FormProblem>()

  const begin = async (provider: string, how?: 'replace') => {
    rememberUsed(provider)
    setLeaving(provider)
    setProblem(undefined)
    try {
      const answer = await api.social.signInSocial({
        body: {
          provider,
          callbackURL: destination ?? returnUrlOf(query),
          errorCallbackURL: pageUrl('/error', query),
          disableRedirect: true,
        },
      })
      if (!('url' in answer) || answer.url === undefined) throw new Error('an answer without an address')
      goTo(answer.url, how)
    } catch (error) {
      setProblem(errorMessages(error, [], api.retryAfterSeconds(), i18n).form)
      setLeaving(undefined)
    }
  }
  return { leaving, problem, begin: (provider: string, how?: 'replace') => void begin(provider, how) }
}

/** The providers that have a button at first. The provider that this browser used last is always among them. */
const firstOf = (providers: readonly Provider[], last: string | null): readonly Provider[] => {
  const first = providers.slice(0, shownAtOnce)
  const hidden = providers.slice(shownAtOnce).find(({ id }) => id === last)
  return hidden === undefined ? first : [...first.slice(0, -1), hidden]
}

export interface SocialButtonsProps {
  readonly providers: readonly Provider[]
  /** The target of the sign-in, if the page's address has none. */
  readonly destination?: string
  /** True if other sign-in methods are shown above, with their own divider. */
  readonly follows?: boolean
  /** True for a page without a form. The buttons are then in one column, over the full width. */
  readonly isMain?: boolean
  /** True if the page redirects to its only provider at once. */
  readonly redirects?: boolean
}

/** The buttons of the identity providers, below the form. */
export const SocialButtons = ({
  providers,
  destination,
  follows = false,
  isMain = false,
  redirects = false,
}: SocialButtonsProps) => {
  const { t } = useI18n()
  const { leaving, problem, begin } = useSocialSignIn(destination)
  const [last] = useState(lastUsed)
  const [isOpen, setOpen] = useState(providers.length <= shownAtOnce)
  const list = useRef<HTMLDivElement>(null)
  const only = redirects ? providers[0]?.id : undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: the redirect happens once for each time the page is opened.
  useEffect(() => {
    if (only !== undefined && takeRedirect()) begin(only, 'replace')
  }, [only])

  const first = firstOf(providers, last)
  const shown = isOpen ? [...first, ...providers.filter((provider) => !first.includes(provider))] : first
  const marked = providers.length > 1 ? last : null
  const isMany = !isMain && providers.length >= manyProviders
  const open = () => {
    setOpen(true)
    // The pressed button has disappeared, so the focus moves to the first new button.
    requestAnimationFrame(() => list.current?.querySelectorAll('button')[first.length]?.focus())
  }
  return (
    <div className="social">
      {follows ? null : (
        <p className="divider">
          <span>{t('social.or')}</span>
        </p>
      )}
      <div ref={list} className={isMany ? 'social-buttons social-many' : 'social-buttons'}>
        {shown.map(({ id, name }) => (
          <button
            key={id}
            type="button"
            className="button button-secondary"
            // The button of the last used provider has no other accessible name, because its visible text says that it was used last.
            aria-label={id === marked ? undefined : t('social.continueWith', { provider: name })}
            aria-busy={leaving === id}
            aria-disabled={leaving !== undefined}
            onClick={() => {
              if (leaving === undefined) begin(id)
            }}
          >
            <span className="button-label">
              <ProviderMark id={id} />
              <span className="button-text">{isMany ? name : t('social.continueWith', { provider: name })}</span>
            </span>
            {id === marked ? <span className="social-last"> {t('social.lastUsed')}</span> : null}
            {leaving === id ? <span className="spinner" aria-hidden="true" /> : null}
          </button>
        ))}
        {isOpen ? null : (
          <Button kind="quiet" onClick={open}>
            {t('social.more')}
          </Button>
        )}
      </div>
      <FormEnd problem={problem} pending={leaving !== undefined} />
      <p className="visually-hidden" role="status">
        {leaving === undefined ? '' : t('social.leaving')}
      </p>
    </div>
  )
}
