import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { applicationContract } from '../../../src/oidc/clients/contract.ts'
import { grantContract } from '../../../src/oidc/grants/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { useConsole, usePermission } from '../api.ts'
import { ActionButton } from '../shared/action-button.tsx'
import { Confirm } from '../shared/confirm.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { useNotify } from '../shared/use-notify.ts'
import { useRefresh } from '../shared/use-refresh.ts'
import type { Application } from './parts.tsx'
import { keepsSecret } from './parts.tsx'
import { testSignInPath } from './paths.ts'
import { useUpdate } from './use-update.ts'

interface DialogProps {
  readonly application: Application
  readonly onClose: () => void
}

/** Things are counted on the first page of a list only, so higher numbers are shown as "more than this". */
const countedUpTo = 100

/** Sentences with the numbers of things that are deleted together with the application. Things that the person may not read are left out. */
const useLosses = ({ clientId, type }: Application): readonly string[] => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { isAllowed } = usePermission('grants:read')
  const consents = useQuery({
    ...api.query(grantContract, 'listGrants', { query: { clientId, limit: countedUpTo } }),
    enabled: isAllowed,
  })
  const secrets = useQuery({
    ...api.query(applicationContract, 'listSecrets', { params: { clientId } }),
    enabled: keepsSecret(type),
  })
  const people = consents.data?.grants.length ?? 0
  const counting = secrets.data?.secrets.filter(({ state }) => state !== 'ended').length ?? 0
  const isMore = consents.data?.next !== null && consents.data?.next !== undefined
  return [
    ...(people > 0
      ? [isMore ? t('clients.deletePeopleMore', { count: people }) : t('clients.deletePeople', { count: people })]
      : []),
    counting > 0 ? t('clients.deleteSecrets', { count: counting }) : t('clients.deleteTokens'),
  ]
}

const SwitchDialog = ({ application, onClose }: DialogProps) => {
  const { t } = useI18n()
  const { clientId, name, disabled } = application
  const update = useUpdate(application, t(disabled ? 'clients.enabledNow' : 'clients.disabledNow'))
  const body = { disabled: !disabled }
  return (
    <Confirm
      title={t(disabled ? 'clients.enableTitle' : 'clients.disableTitle', { name })}
      consequences={disabled ? [t('clients.enableFollows')] : [t('clients.disableFollows'), t('clients.disableKept')]}
      action={t(disabled ? 'clients.enable' : 'clients.disable')}
      isDangerous={!disabled}
      reason="optional"
      onConfirm={(reason) => update(body, reason)}
      onClose={onClose}
      foot={
        <ShowCall
          target={applicationContract.updateApplication}
          input={{ params: { clientId }, body }}
          command={[disabled ? 'enable-client' : 'disable-client', clientId]}
        />
      }
    />
  )
}

const DeleteDialog = ({ application, onClose }: DialogProps) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { clientId, name } = application
  const refresh = useRefresh()
  const navigate = useNavigate()
  const losses = useLosses(application)
  const notify = useNotify()
  const params = { clientId }
  const remove = async (reason: string) => {
    await api.call(applicationContract, 'deleteApplication', { params, reason, ifMatch: api.etagOf(application) })
    notify(t('clients.deleted', { name }))
    await refresh({ isLeaving: true })
    void navigate('/admin/clients', { replace: true })
  }
  return (
    <Confirm
      title={t('clients.deleteTitle', { name })}
      consequences={[...losses, t('clients.deleteForever')]}
      action={t('clients.delete')}
      typed={name}
      reason="required"
      onConfirm={remove}
      onClose={onClose}
      foot={<ShowCall target={applicationContract.deleteApplication} input={{ params }} command={['delete-client', clientId]} />}
    />
  )
}

/** Buttons to disable, enable and delete an application. */
export const ApplicationActions = ({ application }: { readonly application: Application }) => {
  const { t } = useI18n()
  const [open, setOpen] = useState<'switch' | 'delete'>()
  const close = () => setOpen(undefined)
  const { clientId, type, disabled } = application
  return (
    <>
      {type === 'machine' || disabled ? null : (
        <a className="button button-secondary" href={testSignInPath(clientId)} target="_blank" rel="noopener">
          <span className="button-label">{t('clients.test')}</span>
        </a>
      )}
      <ActionButton permission="clients:update" onClick={() => setOpen('switch')}>
        {t(application.disabled ? 'clients.enable' : 'clients.disable')}
      </ActionButton>
      <ActionButton permission="clients:delete" onClick={() => setOpen('delete')}>
        {t('clients.delete')}
      </ActionButton>
      {open === 'switch' ? <SwitchDialog application={application} onClose={close} /> : null}
      {open === 'delete' ? <DeleteDialog application={application} onClose={close} /> : null}
    </>
  )
}
