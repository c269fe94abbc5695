import { useState } from 'react'
import { signInMethodContract } from '../../../src/authentication/methods/federated/linked-accounts/contract.ts'
import { passkeyContract } from '../../../src/authentication/methods/passkey/contract.ts'
import { backFrom } from '../../shared/account-paths.ts'
import type { Provider, SignInMethod } from '../../shared/api.ts'
import type { FormProblem } from '../../shared/error-messages.ts'
import { errorMessages } from '../../shared/error-messages.ts'
import { Icon } from '../../shared/icons.tsx'
import { Loaded, useLoader } from '../../shared/loading.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Badge, Button, Notice } from '../../shared/ui.tsx'
import { GrantedScopes } from '../consent/granted.tsx'
import { useHosted } from '../context.tsx'
import { wordsOf } from '../error/codes.ts'
import { goTo } from '../return-url.ts'
import { ProviderMark } from '../social/mark.tsx'
import { ApiKeysPanel } from './api-keys.tsx'
import { BrowsersPanel } from './browsers.tsx'
import { Confirm } from './confirm.tsx'
import { useAccount } from './context.ts'
import { AccountLink, sectionRoutes } from './navigation.tsx'
import type { Outcome } from './outcome.tsx'
import { OutcomeNotice, useAction, useOutcome } from './outcome.tsx'
import type { Passkey } from './passkeys.tsx'
import { PasskeysPanel } from './passkeys.tsx'
import { Panel, Section } from './section.tsx'
import { TwoStepPanel } from './two-step.tsx'
import '../more.css'

const passwordAccount = 'credential'

/** The name of an identity provider. A provider that is no longer offered is shown by its id. */
const nameIn = (providers: readonly Provider[], id: string) =>
  providers.find((provider) => provider.id === id)?.name ?? `${id.charAt(0).toUpperCase()}${id.slice(1)}`

interface MethodProps {
  readonly account: SignInMethod
  readonly name: string
  readonly isOnly: boolean
  readonly working: boolean
  readonly onRemove: () => void
}

const Method = ({ account, name, isOnly, working, onRemove }: MethodProps) => {
  const { t, date } = useI18n()
  const { email } = useAccount().user
  const isPassword = account.provider === passwordAccount
  return (
    <li className="row">
      <span className="row-tile">{isPassword ? <Icon name="lock" /> : <ProviderMark id={account.provider} size={20} />}</span>
      <span className="row-text">
        <span className="row-title">
          {name}
          {isOnly ? <Badge tone="warn">{t('signInMethods.only')}</Badge> : null}
        </span>
        <span className="row-detail">
          <span className="break">
            {isPassword
              ? t('signInMethods.passwordDetail', { email })
              : t('signInMethods.since', { date: date(account.createdAt) })}
          </span>
          {isOnly && !isPassword ? <span>{t('signInMethods.onlyHint')}</span> : null}
        </span>
        <GrantedScopes scopes={account.scopes} label={t('signInMethods.may', { provider: name })} caption />
      </span>
      {isPassword ? (
        <span className="row-actions">
          <AccountLink path={sectionRoutes.password.path} className="row-change">
            {t('password.submit')}
          </AccountLink>
        </span>
      ) : null}
      {isOnly || isPassword ? null : (
        <span className="row-actions">
          <Button kind="secondary" working={working} name={t('signInMethods.removeName', { provider: name })} onClick={onRemove}>
            {t('signInMethods.remove')}
          </Button>
        </span>
      )}
    </li>
  )
}

interface UnlinkedProvidersProps {
  readonly providers: readonly Provider[]
  readonly onProblem: (problem: FormProblem) => void
}

/** Buttons for the identity providers that are not linked with the account yet. */
const UnlinkedProviders = ({ providers, onProblem }: UnlinkedProvidersProps) => {
  const { api } = useHosted()
  const i18n = useI18n()
  const { t } = i18n
  const [leaving, setLeaving] = useState<string>()
  const connect = async (provider: string) => {
    if (leaving !== undefined) return
    setLeaving(provider)
    try {
      const back = sectionRoutes.signInMethods.path
      const { url } = await api.social.linkSocial({
        body: { provider, callbackURL: `${back}?connected=${encodeURIComponent(provider)}`, errorCallbackURL: back },
      })
      if (url === undefined) throw new Error('the response has no address')
      goTo(url)
    } catch (error) {
      const { form } = errorMessages(error, [], api.retryAfterSeconds(), i18n)
      if (form !== undefined) onProblem(form)
      setLeaving(undefined)
    }
  }
  if (providers.length === 0) return null
  return (
    <Panel id="more" title={t('signInMethods.more')}>
      <ul className="rows">
        {providers.map(({ id, name }) => (
          <li key={id} className="row">
            <span className="row-tile">
              <ProviderMark id={id} size={20} />
            </span>
            <span className="row-text">
              <span className="row-title">{name}</span>
            </span>
            <Button
              kind="secondary"
              working={leaving === id}
              name={t('signInMethods.connectName', { provider: name })}
              onClick={() => void connect(id)}
            >
              {t('signInMethods.connect')}
            </Button>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

/** Shows whether linking an account at a provider worked. The parameters of the return URL say so. */
const useLinkResult = (query: URLSearchParams, providers: readonly Provider[], outcome: Outcome) => {
  const { t } = useI18n()
  const code = query.get('error')
  const connected = query.get('connected')
  if (outcome.success !== undefined || outcome.problem !== undefined) return outcome
  if (code !== null) return { ...outcome, problem: { text: t(wordsOf(code).text) } }
  return connected === null
    ? outcome
    : { ...outcome, success: t('signInMethods.connected', { provider: nameIn(providers, connected) }) }
}

interface Ways {
  readonly accounts: readonly SignInMethod[]
  readonly passkeys: readonly Passkey[]
}

/**
 * The id of the account's only sign-in method. Undefined if the account has several. A security key without user verification does not
 * count, because nobody can sign in with it alone.
 */
const onlyWayIn = ({ accounts, passkeys }: Ways): string | undefined => {
  const ids = [...accounts, ...passkeys.filter(({ userVerified }) => userVerified)].map(({ id }) => id)
  return ids.length === 1 ? ids[0] : undefined
}

export const SignInMethodsSection = ({ query }: { readonly query: URLSearchParams }) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const { settings, secondFactors } = useAccount()
  const providers = settings.socialProviders
  const ways = useLoader(async (): Promise<Ways> => {
    const [accounts, passkeys] = await Promise.all([
      api.of(signInMethodContract).listAccounts(),
      api.of(passkeyContract).listUserPasskeys(),
    ])
    // While nobody can sign in with a password, a stored password is not counted as a sign-in method.
    const counted = settings.emailPasswordEnabled ? accounts : accounts.filter(({ provider }) => provider !== passwordAccount)
    return { accounts: counted, passkeys }
  })
  const outcome = useOutcome()
  const { busy, run } = useAction(outcome)
  const [asking, setAsking] = useState<SignInMethod>()
  const nameOf = ({ provider }: SignInMethod) =>
    provider === passwordAccount ? t('field.password') : nameIn(providers, provider)

  const remove = (account: SignInMethod) => {
    setAsking(undefined)
    const { id, provider, accountId } = account
    const call = async () => {
      await api.of(signInMethodContract).unlinkAccount({ body: { providerId: provider, accountId } })
      await ways.reload()
    }
    run(id, call, t('signInMethods.removed', { provider: nameOf(account) }))
  }
  const keysChanged = async () => void (await Promise.all([ways.reload(), secondFactors.reload()]))
  const open = providers.filter(({ id }) => ways.value?.accounts.every(({ provider }) => provider !== id))
  return (
    <Section title={t('account.signInMethods')} lead={t('signInMethods.lead')}>
      {query.has('review') ? (
        <Notice tone="wait">
          {t('signInMethods.review')}{' '}
          <AccountLink path={sectionRoutes.applications.path} className="row-change">
            {t('signInMethods.reviewApplications')}
          </AccountLink>
        </Notice>
      ) : null}
      <OutcomeNotice of={useLinkResult(query, providers, outcome)} />
      {ways.value?.accounts.length === 0 ? null : (
        <Panel>
          <Loaded of={ways} rows={2}>
            {(all) => (
              <ul className="rows">
                {all.accounts.map((account) => (
                  <Method
                    key={account.id}
                    account={account}
                    name={nameOf(account)}
                    isOnly={onlyWayIn(all) === account.id}
                    working={busy === account.id}
                    onRemove={() => setAsking(account)}
                  />
                ))}
              </ul>
            )}
          </Loaded>
        </Panel>
      )}
      <UnlinkedProviders providers={open} onProblem={outcome.showProblem} />
      {ways.value === undefined ? null : (
        <>
          <PasskeysPanel passkeys={ways.value.passkeys} onlyId={onlyWayIn(ways.value)} onChange={keysChanged} />
          <TwoStepPanel keys={ways.value.passkeys.length} isEnrolling={query.has('enrol')} back={backFrom(query)} />
          <ApiKeysPanel />
          <BrowsersPanel />
        </>
      )}
      {asking === undefined ? null : (
        <Confirm
          title={t('signInMethods.removeTitle', { provider: nameOf(asking) })}
          text={t('signInMethods.removeText')}
          action={t('signInMethods.remove')}
          onConfirm={() => remove(asking)}
          onCancel={() => setAsking(undefined)}
        />
      )}
    </Section>
  )
}
