import { useState } from 'react'
import type { Provider } from '../../shared/api.ts'
import type { FormProblem } from '../../shared/error-messages.ts'
import { errorMessages } from '../../shared/error-messages.ts'
import { FormEnd } from '../../shared/form.tsx'
import { useI18n } from '../../shared/text.tsx'
import { useHosted } from '../context.tsx'
import { goTo, pageUrl, returnUrlOf } from '../return-url.ts'
import { ProviderMark } from './mark.tsx'

/** From this number on the buttons stand in two columns and carry names only. */
const manyProviders = 3

/** Starts a federated sign-in and goes to the provider. */
const useSocialSignIn = (destination: string | undefined) => {
  const { api, query } = useHosted()
  const i18n = useI18n()
  const [leaving, setLeaving] = useState<string>()
  const [problem, setProblem] = useState<FormProblem>()

  const begin = async (provider: string) => {
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
      goTo(answer.url)
    } catch (error) {
      setProblem(errorMessages(error, [], api.retryAfterSeconds(), i18n).form)
      setLeaving(undefined)
    }
  }
  return { leaving, problem, begin: (provider: string) => void begin(provider) }
}

interface SocialButtonsProps {
  readonly providers: readonly Provider[]
  /** Where the person is going, when the address does not say. */
  readonly destination?: string
  /** True where other ways stand above, below the same line. */
  readonly follows?: boolean
}

/** The buttons of the identity providers, below the form. */
export const SocialButtons = ({ providers, destination, follows = false }: SocialButtonsProps) => {
  const { t } = useI18n()
  const { leaving, problem, begin } = useSocialSignIn(destination)
  if (providers.length === 0) return null
  const isMany = providers.length >= manyProviders
  return (
    <div className="social">
      {follows ? null : (
        <p className="divider">
          <span>{t('social.or')}</span>
        </p>
      )}
      <div className={isMany ? 'social-buttons social-many' : 'social-buttons'}>
        {providers.map(({ id, name }) => (
          <button
            key={id}
            type="button"
            className="button button-secondary"
            aria-label={t('social.continueWith', { provider: name })}
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
            {leaving === id ? <span className="spinner" aria-hidden="true" /> : null}
          </button>
        ))}
      </div>
      <FormEnd problem={problem} pending={leaving !== undefined} />
      <p className="visually-hidden" role="status">
        {leaving === undefined ? '' : t('social.leaving')}
      </p>
    </div>
  )
}
