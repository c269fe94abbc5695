import type { WireApi } from '../../../src/http/contract.ts'
import { mailContract } from '../../../src/mail/contract.ts'
import { taskContract } from '../../../src/tasks/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { BulkBar } from '../shared/bulk.tsx'
import type { BulkProps } from '../shared/table-bar.tsx'

type Mail = Answer<WireApi<typeof mailContract>['retryMail']>
type Task = Answer<WireApi<typeof taskContract>['requeueTask']>

/** The actions on the selected mails of the list. */
export const MailBulk = (bulk: BulkProps<Mail>) => {
  const { t } = useI18n()
  return (
    <BulkBar
      {...bulk}
      actions={[
        {
          label: t('mail.retry'),
          icon: 'refresh',
          permission: 'mails:update',
          endpoint: mailContract.retryMail,
          input: ({ id }) => ({ params: { id }, body: {} }),
          command: ({ id }) => ['retry-mail', id],
          blocked: ({ state }) => (state === 'failed' ? undefined : t('mail.onlyFailed')),
          consequences: [t('lists.retryMails')],
        },
      ]}
    />
  )
}

/** The actions on the selected tasks of the list. */
export const TaskBulk = (bulk: BulkProps<Task>) => {
  const { t } = useI18n()
  const blocked = ({ status }: Task) => (status === 'dead' ? undefined : t('mail.onlyDead'))
  return (
    <BulkBar
      {...bulk}
      actions={[
        {
          label: t('mail.requeue'),
          icon: 'refresh',
          permission: 'tasks:update',
          endpoint: taskContract.requeueTask,
          input: ({ id }) => ({ params: { id }, body: {} }),
          command: ({ id }) => ['requeue-task', id],
          blocked,
          consequences: [t('lists.requeueTasks')],
        },
        {
          label: t('mail.delete'),
          icon: 'bin',
          permission: 'tasks:update',
          endpoint: taskContract.deleteTask,
          input: ({ id }) => ({ params: { id } }),
          command: ({ id }) => ['drop-task', id],
          blocked,
          consequences: [t('lists.deleteTasks'), t('lists.forever')],
          isDangerous: true,
          reason: 'required',
        },
      ]}
    />
  )
}
