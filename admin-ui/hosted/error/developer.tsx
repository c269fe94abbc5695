import { use, useEffect, useState } from 'react'
import { applicationContract } from '../../../src/oidc/clients/contract.ts'
import type { HostedApi } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { useHosted } from '../context.tsx'
import { CopyButton } from '../second-factor/copy-button.tsx'
import { requestIdIn } from './codes.ts'
import '../more.css'

type Registered = Awaited<ReturnType<typeof readRegistered>>

/**
 * Loads the registered application if the person's role may read applications. For other people no call is made, because each refused
 * call would be logged.
 */
const readRegistered = async (api: HostedApi, role: string | undefined, clientId: string) => {
  if (role === undefined || role === 'user' || clientId === '') return undefined
  return api
    .of(applicationContract)
    .getApplication({ params: { clientId } })
    .catch(() => undefined)
}

interface DeveloperProps {
  readonly query: URLSearchParams
}

/**
 * What developers of the application need: the registered values, and a command with the request id that shows the parameters which the
 * application sent.
 */
export const Developer = ({ query }: DeveloperProps) => {
  const { api, resources } = useHosted()
  const { t } = useI18n()
  const role = use(resources.session())?.user.role
  const clientId = query.get('client_id') ?? ''
  const requestId = requestIdIn(query)
  const [registered, setRegistered] = useState<Registered>()
  useEffect(() => void readRegistered(api, role, clientId).then(setRegistered), [api, role, clientId])
  const commands = requestId === undefined ? [] : [`gatehouse explain-sign-in --request ${requestId}`]
  if (registered === undefined && commands.length === 0) return null
  return (
    <details className="developer" open={registered !== undefined}>
      <summary>{t('developer.title')}</summary>
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
      {requestId === undefined ? null : <CopyButton text={requestId} label={t('developer.copyRequest')} />}
    </details>
  )
}
