import type { ReactNode } from 'react'
import { applicationContract } from '../../../src/oidc/clients/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { Confirm } from '../shared/confirm.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import type { Application } from './parts.tsx'
import { useUpdate } from './use-update.ts'

interface EditDialogProps {
  readonly title: string
  readonly application: Application
  /** The typed fields as the request body. */
  readonly body: object
  /** The flags of the command that makes this change. */
  readonly flags: readonly string[]
  /** What is wrong with the typed fields. While it is set, the form cannot be sent. */
  readonly problem?: string | undefined
  readonly onClose: () => void
  readonly children: ReactNode
}

/** The flags with which a command replaces a whole list: the flag once for each value, or once with an empty value for an empty list. */
export const listFlags = (flag: string, values: readonly string[]): readonly string[] =>
  values.length === 0 ? [flag, ''] : values.flatMap((value) => [flag, value])

/** A dialog that changes some fields of an application. It also shows the API call and the command that make this change. */
export const EditDialog = ({ title, application, body, flags, problem, onClose, children }: EditDialogProps) => {
  const { t } = useI18n()
  const update = useUpdate(application, t('clients.saved'))
  return (
    <Confirm
      title={title}
      consequences={[]}
      action={t('console.form.save')}
      isDangerous={false}
      blocked={problem}
      onConfirm={() => update(body)}
      onClose={onClose}
      foot={
        <ShowCall
          target={applicationContract.updateApplication}
          input={{ params: { clientId: application.clientId }, body }}
          command={['update-client', application.clientId, ...flags]}
        />
      }
    >
      {children}
    </Confirm>
  )
}
