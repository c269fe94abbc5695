import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { explanationContract } from '../../../../src/authentication/explanation/contract.ts'
import type { WireApi } from '../../../../src/http/contract.ts'
import type { Answer } from '../../../shared/api.ts'
import type { Key } from '../../../shared/i18n.ts'
import { useI18n } from '../../../shared/text.tsx'
import { useConsole, usePermission } from '../../api.ts'
import { ActionButton } from '../../shared/action-button.tsx'
import { Panel } from '../../shared/facts.tsx'
import { useReasonName } from '../../shared/reasons.ts'
import { Time } from '../../shared/time.tsx'
import type { Application } from '../parts.tsx'
import { useUpdate } from '../use-update.ts'

type Refusal = Answer<WireApi<typeof explanationContract>['listSignInFailures']>['failures'][number]

/** So many of the newest are looked through. */
const examined = 20

/** What an administrator can change here that lets the application in, by the command that does the same. */
const remedies: readonly { readonly command: string; readonly text: Key; readonly body: object }[] = [
  { command: '--pkce optional', text: 'clients.remedyPkce', body: { pkce: 'optional' } },
  { command: '--unknown-scopes ignore', text: 'clients.remedyScopes', body: { unknownScopes: 'ignore' } },
  { command: 'enable-client', text: 'clients.enable', body: { disabled: false } },
]

const Remedy = ({ application, refusal }: { readonly application: Application; readonly refusal: Refusal }) => {
  const { t } = useI18n()
  const values: Readonly<Record<string, unknown>> = { ...application }
  const update = useUpdate(application, t('clients.saved'))
  const [isWorking, setIsWorking] = useState(false)
  const known = remedies.find(({ command }) => refusal.remedy?.includes(command))
  const isDone = known !== undefined && Object.entries(known.body).every(([name, value]) => Object.is(values[name], value))
  if (isDone) return null
  if (known === undefined) return refusal.remedy === null ? null : <code>{refusal.remedy}</code>
  const apply = () => {
    setIsWorking(true)
    void update(known.body)
      .catch(() => undefined)
      .finally(() => setIsWorking(false))
  }
  return (
    <ActionButton permission="clients:update" working={isWorking} onClick={apply}>
      {t(known.text)}
    </ActionButton>
  )
}

interface RefusalsProps {
  readonly application: Application
  /** How often to look for new ones, in milliseconds; without it once. */
  readonly everyMs?: number
}

/** The newest refusal of each kind, with what helps. Nothing where there is none, and for whoever may not read failed sign-ins. */
export const RefusalsPanel = ({ application, everyMs }: RefusalsProps) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const reasonOf = useReasonName()
  const { isAllowed } = usePermission('sign-ins:read')
  const { data } = useQuery({
    ...api.query(explanationContract, 'listSignInFailures', { query: { clientId: application.clientId, limit: examined } }),
    enabled: isAllowed,
    ...(everyMs === undefined ? {} : { refetchInterval: everyMs }),
  })
  const failures = data?.failures ?? []
  const kinds = failures.filter(({ what }, at) => failures.findIndex((one) => one.what === what) === at)
  if (kinds.length === 0) return null
  return (
    <Panel title={t('clients.refusals')}>
      <ul className="entries" aria-live="polite">
        {kinds.map((refusal) => (
          <li key={refusal.id} className="entry">
            <div className="entry-text">
              <p className="entry-title">
                {reasonOf(refusal.what)}
                <span className="entry-aside">
                  <Time at={refusal.at} />
                </span>
              </p>
              {refusal.detail === null ? null : <p className="entry-detail break">{refusal.detail}</p>}
            </div>
            <Remedy application={application} refusal={refusal} />
          </li>
        ))}
      </ul>
    </Panel>
  )
}
