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
  /** The typed fields in the form of the call. */
  readonly body: object
  /** The flags of the equivalent command. */
  readonly flags: readonly string[]
  /** The problem of the typed fields, which prevents sending. */
  readonly problem?: string | undefined
  readonly onClose: () => void
  readonly children: ReactNode
}

/** Flags that replace a whole list in a command: one for each value, or one empty flag for an empty list. */
export const listFlags = (flag: string, values: readonly string[]): readonly string[] =>
  values.length === 0 ? [flag, ''] : values.flatMap((value) => [flag, value])

/** Edits some fields of an application, and shows the equivalent call and command. */
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
