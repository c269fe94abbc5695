import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { explanationContract } from '../../../../src/authentication/explanation/contract.ts'
import type { WireApi } from '../../../../src/http/contract.ts'
import type { Answer } from '../../../shared/api.ts'
import type { PlainKey } from '../../../shared/i18n.ts'
import { useI18n } from '../../../shared/text.tsx'
import { useConsole, usePermission } from '../../api.ts'
import { ActionButton } from '../../shared/action-button.tsx'
import { Panel } from '../../shared/facts.tsx'
import { useReasonName } from '../../shared/reasons.ts'
import { Time } from '../../shared/time.tsx'
import type { Application } from '../parts.tsx'
import { useUpdate } from '../use-update.ts'
import { AddressesDialog } from './addresses.tsx'
import { RotateDialog } from './secret-dialogs.tsx'
import { NewSecret } from './secrets.tsx'

type Refusal = Answer<WireApi<typeof explanationContract>['listSignInFailures']>['failures'][number]

/** How many of the newest refusals are looked at. */
const examined = 20

/** Returns the newest refusal of each kind. The refusals are requested every `everyMs` milliseconds, or once without `everyMs`. */
export const useRefusals = (clientId: string, everyMs?: number): readonly Refusal[] => {
  const { api } = useConsole()
  const { isAllowed } = usePermission('sign-ins:read')
  const { data } = useQuery({
    ...api.query(explanationContract, 'listSignInFailures', { query: { clientId, limit: examined } }),
    enabled: isAllowed,
    ...(everyMs === undefined ? {} : { refetchInterval: everyMs }),
  })
  const failures = data?.failures ?? []
  return failures.filter(({ what }, at) => failures.findIndex((one) => one.what === what) === at)
}

/** Remedies that have a button on this page. A remedy is found by the command that the refusal proposes. */
const remedies: readonly { readonly command: string; readonly text: PlainKey; readonly body: object }[] = [
  { command: '--pkce optional', text: 'clients.remedyPkce', body: { pkce: 'optional' } },
  { command: '--unknown-scopes ignore', text: 'clients.remedyScopes', body: { unknownScopes: 'ignore' } },
  { command: 'enable-client', text: 'clients.enable', body: { disabled: false } },
]

interface RemedyProps {
  readonly application: Application
  readonly refusal: Refusal
}

/** The remedy for a lost or wrong client secret: a button that makes a new secret. */
const OtherSecret = ({ application }: Pick<RemedyProps, 'application'>) => {
  const { t } = useI18n()
  const [isOpen, setIsOpen] = useState(false)
  const [made, setMade] = useState<string>()
  if (made !== undefined) return <NewSecret secret={made} />
  return (
    <>
      <ActionButton permission="clients:update" onClick={() => setIsOpen(true)}>
        {t('clients.secretNew')}
      </ActionButton>
      {isOpen ? <RotateDialog application={application} onMade={setMade} onClose={() => setIsOpen(false)} /> : null}
    </>
  )
}

/**
 * The remedy for a redirect URI that is not registered. It has no button that adds the requested URI, because the request may come from
 * an attacker.
 */
const OtherAddresses = ({ application }: Pick<RemedyProps, 'application'>) => {
  const { t } = useI18n()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <ActionButton permission="clients:update" onClick={() => setIsOpen(true)}>
        {`${t('clients.edit')} · ${t('clients.addresses')}`}
      </ActionButton>
      {isOpen ? <AddressesDialog application={application} onClose={() => setIsOpen(false)} /> : null}
    </>
  )
}

const Change = ({ application, refusal }: RemedyProps) => {
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

const Remedy = (props: RemedyProps) => {
  if (props.refusal.what === 'client-secret') return <OtherSecret {...props} />
  return props.refusal.what === 'redirect-uri' ? <OtherAddresses {...props} /> : <Change {...props} />
}

interface RefusalsProps {
  readonly application: Application
  readonly everyMs?: number
}

/**
 * Shows why requests of an application were refused, with the remedies. Renders nothing if there are no refusals, or if the person may
 * not read failed sign-ins.
 */
export const RefusalsPanel = ({ application, everyMs }: RefusalsProps) => {
  const { t } = useI18n()
  const reasonOf = useReasonName()
  const kinds = useRefusals(application.clientId, everyMs)
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
