import { useState } from 'react'
import { linkedAccountContract } from '../../../src/accounts/linked/contract.ts'
import type { LinkedAccount, Provider } from '../../shared/api.ts'
import type { FormProblem } from '../../shared/explain.ts'
import { explain } from '../../shared/explain.ts'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Badge, Button } from '../../shared/ui.tsx'
import { useHosted } from '../context.tsx'
import { goTo } from '../continuation.ts'
import { wordsOf } from '../error/codes.ts'
import { ProviderMark } from '../social/mark.tsx'
import { Confirm } from './confirm.tsx'
import { Arriving, useLoaded } from './loaded.tsx'
import { usePerson } from './person.ts'
import { places } from './places.tsx'
import { Panel, Section } from './section.tsx'
import { Told, useTold } from './told.tsx'

const passwordAccount = 'credential'

/** A provider as it is called; one that is no longer offered by its id. */
const nameIn = (providers: readonly Provider[], id: string) =>
  providers.find((provider) => provider.id === id)?.name ?? `${id.charAt(0).toUpperCase()}${id.slice(1)}`

interface WayProps {
  readonly account: LinkedAccount
  readonly name: string
  readonly isOnly: boolean
  readonly working: boolean
  readonly onRemove: () => void
}

const Way = ({ account, name, isOnly, working, onRemove }: WayProps) => {
  const { t, date } = useI18n()
  const { email } = usePerson().user
  const isPassword = account.provider === passwordAccount
  return (
    <li className="row">
      <span className="row-tile">{isPassword ? <Icon name="lock" /> : <ProviderMark id={account.provider} size={20} />}</span>
      <span className="row-words">
        <span className="row-title">
          {name}
          {isOnly ? <Badge tone="warn">{t('linked.only')}</Badge> : null}
        </span>
        <span className="row-detail">
          <span className="break">
            {isPassword ? t('linked.passwordDetail', { email }) : t('linked.since', { date: date(account.createdAt) })}
          </span>
          {isOnly && !isPassword ? <span>{t('linked.onlyHint')}</span> : null}
        </span>
      </span>
      {isOnly || isPassword ? null : (
        <Button kind="secondary" working={working} name={t('linked.removeName', { provider: name })} onClick={onRemove}>
          {t('linked.remove')}
        </Button>
      )}
    </li>
  )
}

interface MoreProps {
  readonly providers: readonly Provider[]
  readonly onProblem: (problem: FormProblem) => void
}

/** Providers that are not connected yet. */
const More = ({ providers, onProblem }: MoreProps) => {
  const { api } = useHosted()
  const i18n = useI18n()
  const { t } = i18n
  const [leaving, setLeaving] = useState<string>()
  const connect = async (provider: string) => {
    if (leaving !== undefined) return
    setLeaving(provider)
    try {
      const back = places.linked.path
      const { url } = await api.social.linkSocial({
        body: { provider, callbackURL: `${back}?connected=${encodeURIComponent(provider)}`, errorCallbackURL: back },
      })
      if (url === undefined) throw new Error('an answer without an address')
      goTo(url)
    } catch (error) {
      const { form } = explain(error, [], api.retryAfterSeconds(), i18n)
      if (form !== undefined) onProblem(form)
      setLeaving(undefined)
    }
  }
  if (providers.length === 0) return null
  return (
    <Panel id="more" title={t('linked.more')}>
      <ul className="rows">
        {providers.map(({ id, name }) => (
          <li key={id} className="row">
            <span className="row-tile">
              <ProviderMark id={id} size={20} />
            </span>
            <span className="row-words">
              <span className="row-title">{name}</span>
            </span>
            <Button
              kind="secondary"
              working={leaving === id}
              name={t('linked.connectName', { provider: name })}
              onClick={() => void connect(id)}
            >
              {t('linked.connect')}
            </Button>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

/** What the way back from a provider says. */
const useArrival = (query: URLSearchParams, providers: readonly Provider[], told: Told) => {
  const { t } = useI18n()
  const code = query.get('error')
  const connected = query.get('connected')
  if (told.good !== undefined || told.problem !== undefined) return told
  if (code !== null) return { ...told, problem: { text: t(wordsOf(code).text) } }
  return connected === null ? told : { ...told, good: t('linked.connected', { provider: nameIn(providers, connected) }) }
}

export const LinkedSection = ({ query }: { readonly query: URLSearchParams }) => {
  const { api } = useHosted()
  const i18n = useI18n()
  const { t } = i18n
  const { settings } = usePerson()
  const providers = settings.socialProviders
  const ways = useLoaded(() => api.of(linkedAccountContract).listAccounts())
  const told = useTold()
  const [asking, setAsking] = useState<LinkedAccount>()
  const [busy, setBusy] = useState<string>()
  const nameOf = ({ provider }: LinkedAccount) =>
    provider === passwordAccount ? t('field.password') : nameIn(providers, provider)

  const remove = async (account: LinkedAccount) => {
    setAsking(undefined)
    setBusy(account.id)
    try {
      await api.of(linkedAccountContract).unlinkAccount({ body: { providerId: account.provider, accountId: account.accountId } })
      await ways.reload()
      told.say(t('linked.removed', { provider: nameOf(account) }))
    } catch (error) {
      const { form } = explain(error, [], api.retryAfterSeconds(), i18n)
      if (form !== undefined) told.refuse(form)
    }
    setBusy(undefined)
  }
  const open = providers.filter(({ id }) => ways.value?.every(({ provider }) => provider !== id))
  return (
    <Section title={t('account.linked')} lead={t('linked.lead')}>
      <Told of={useArrival(query, providers, told)} />
      <Panel>
        <Arriving of={ways} rows={2}>
          {(accounts) => (
            <ul className="rows">
              {accounts.map((account) => (
                <Way
                  key={account.id}
                  account={account}
                  name={nameOf(account)}
                  isOnly={accounts.length === 1}
                  working={busy === account.id}
                  onRemove={() => setAsking(account)}
                />
              ))}
            </ul>
          )}
        </Arriving>
      </Panel>
      <More providers={open} onProblem={told.refuse} />
      {asking === undefined ? null : (
        <Confirm
          title={t('linked.removeTitle', { provider: nameOf(asking) })}
          text={t('linked.removeText')}
          action={t('linked.remove')}
          onConfirm={() => void remove(asking)}
          onCancel={() => setAsking(undefined)}
        />
      )}
    </Section>
  )
}
