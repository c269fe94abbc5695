import { useState } from 'react'
import { applicationContract } from '../../../../src/oidc/clients/contract.ts'
import { SelectField } from '../../../shared/field.tsx'
import { useI18n } from '../../../shared/text.tsx'
import { Confirm } from '../../shared/confirm.tsx'
import { ShowCall } from '../../shared/show-call.tsx'
import { useChange } from '../../shared/use-change.ts'
import type { Application, Secret } from '../parts.tsx'

/** The offered times for which the former secret stays valid, in seconds. The first one, a week, is the server's default. */
const overlaps = [604_800, 86_400, 2_592_000, 0] as const
const isOverlap = (seconds: number): seconds is (typeof overlaps)[number] => overlaps.some((one) => one === seconds)

interface RotateProps {
  readonly application: Application
  /** Called with the new secret in plain text, which the server does not store. */
  readonly onMade: (secret: string) => void
  readonly onClose: () => void
}

/** Makes a new client secret. The former secret stays valid for the chosen time. */
export const RotateDialog = ({ application, onMade, onClose }: RotateProps) => {
  const { t } = useI18n()
  const { clientId, name } = application
  const [overlap, setOverlap] = useState<(typeof overlaps)[number]>(overlaps[0])
  const rotate = useChange(applicationContract, 'rotateSecret', t('clients.secretMade'))
  const body = { overlapSeconds: overlap }
  return (
    <Confirm
      title={t('clients.secretNewTitle', { name })}
      consequences={[t('clients.secretNewFollows'), t(overlap === 0 ? 'clients.secretNewAll' : 'clients.secretNewOld')]}
      action={t('clients.secretMake')}
      isDangerous={overlap === 0}
      onConfirm={async (reason) => onMade((await rotate({ params: { clientId }, body, reason })).clientSecret)}
      onClose={onClose}
      foot={
        <ShowCall
          target={applicationContract.rotateSecret}
          input={{ params: { clientId }, body }}
          command={['rotate-client-secret', clientId, ...(overlap === 0 ? ['--now'] : ['--overlap', `${overlap / 86_400}d`])]}
        />
      }
    >
      <SelectField
        name="overlap"
        label={t('clients.overlap')}
        defaultValue={String(overlap)}
        options={overlaps.map((value) => ({ value: String(value), text: t(`clients.overlap.${value}`) }))}
        onValue={(value) => isOverlap(Number(value)) && setOverlap(Number(value) as (typeof overlaps)[number])}
      />
    </Confirm>
  )
}

interface RevokeProps {
  readonly application: Application
  readonly secret: Secret
  /** True if this is the only valid secret. */
  readonly isLast: boolean
  readonly onClose: () => void
}

/** Revokes a secret immediately. The dialog shows when the secret was last used, so that the administrator sees who is affected. */
export const RevokeDialog = ({ application, secret, isLast, onClose }: RevokeProps) => {
  const { t, ago } = useI18n()
  const { clientId } = application
  const revoke = useChange(applicationContract, 'revokeSecret', t('clients.secretRevoked'))
  const params = { clientId, secretId: secret.id }
  const { lastUsedAt } = secret
  return (
    <Confirm
      title={t('clients.secretRevokeTitle', { hint: secret.hint === null ? t('clients.unnamedSecret') : `${secret.hint}…` })}
      consequences={[
        t('clients.secretRevokeFollows'),
        lastUsedAt === null
          ? t('clients.secretRevokeUnused')
          : t('clients.secretRevokeUsed', { time: ago(lastUsedAt, new Date()) }),
        ...(isLast ? [t('clients.secretRevokeLast')] : []),
      ]}
      action={t('clients.secretRevoke')}
      onConfirm={(reason) => revoke({ params, reason })}
      onClose={onClose}
      foot={
        <ShowCall
          target={applicationContract.revokeSecret}
          input={{ params }}
          command={['rotate-client-secret', clientId, '--revoke', secret.id]}
        />
      }
    />
  )
}
