import { use, useEffect, useState } from 'react'
import { applicationContract } from '../../../src/oidc/clients/contract.ts'
import type { HostedApi } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { useHosted } from '../context.tsx'
import { CopyButton } from '../second-factor/copy-button.tsx'
import '../more.css'

type Registered = Awaited<ReturnType<typeof readRegistered>>

/** What is registered, for those who may see it. Nobody else asks: each refused call would be in the log. */
const readRegistered = async (api: HostedApi, role: string | undefined, clientId: string) => {
  if (role === undefined || role === 'user' || clientId === '') return undefined
  return api
    .of(applicationContract)
    .getApplication({ params: { clientId } })
    .catch(() => undefined)
}

/** Anybody can write into this page's address: a command is shown only with what cannot be more than a name. */
const isName = (value: string) => /^[\w.-]{1,255}$/.test(value) && !value.startsWith('-')

const sentNames = ['client_id', 'redirect_uri', 'response_type', 'scope'] as const

interface DeveloperProps {
  readonly query: URLSearchParams
}

/** What the developers of the application need: what was sent, what is registered, and the request to ask about. */
export const Developer = ({ query }: DeveloperProps) => {
  const { api, resources } = useHosted()
  const { t } = useI18n()
  const role = use(resources.session())?.user.role
  const clientId = query.get('client_id') ?? ''
  const requestId = query.get('request_id') ?? ''
  const [registered, setRegistered] = useState<Registered>()
  useEffect(() => void readRegistered(api, role, clientId).then(setRegistered), [api, role, clientId])
  const sent = sentNames.flatMap((name) => {
    const value = query.get(name)
    return value === null || value === '' ? [] : [{ name, value: value.slice(0, 1_000) }]
  })
  const commands = [
    ...(isName(clientId) && registered === undefined ? [`gatehouse get-client ${clientId}`] : []),
    ...(isName(requestId) ? [`gatehouse explain-sign-in --request ${requestId}`] : []),
  ]
  return (
    <details className="developer" open={registered !== undefined}>
      <summary>{t('developer.title')}</summary>
      {sent.length === 0 ? null : (
        <>
          <h2>{t('developer.sent')}</h2>
          <dl className="details">
            {sent.map(({ name, value }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
      {registered === undefined ? null : (
        <>
          <h2>{t('developer.registered', { name: registered.name })}</h2>
          <dl className="details">
            <div>
              <dt>redirect_uri</dt>
              <dd>
                {registered.redirectUris.map((uri) => (
                  <span key={uri}>{uri}</span>
                ))}
              </dd>
            </div>
            <div>
              <dt>scope</dt>
              <dd>{registered.scopes.join(' ')}</dd>
            </div>
          </dl>
        </>
      )}
      {commands.length === 0 ? null : (
        <>
          <h2>{t('developer.commands')}</h2>
          <pre className="developer-commands">{commands.join('\n')}</pre>
        </>
      )}
      {isName(requestId) ? <CopyButton text={requestId} label={t('developer.copyRequest')} /> : null}
    </details>
  )
}
