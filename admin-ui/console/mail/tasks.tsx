import { useState } from 'react'
import type { WireApi } from '../../../src/http/contract.ts'
import { taskContract } from '../../../src/tasks/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { ActionButton } from '../shared/action-button.tsx'
import { Confirm } from '../shared/confirm.tsx'
import type { Column } from '../shared/data-table.tsx'
import { DataTable } from '../shared/data-table.tsx'
import { Empty } from '../shared/empty.tsx'
import { Facts } from '../shared/facts.tsx'
import { FilterSelect } from '../shared/filters.tsx'
import { Id } from '../shared/id.tsx'
import { Page } from '../shared/page.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { Time } from '../shared/time.tsx'
import { useChange } from '../shared/use-change.ts'
import { useList } from '../shared/use-list.ts'
import { useAtOnce } from './use-at-once.ts'
import '../styles/system.css'

type Task = Answer<WireApi<typeof taskContract>['requeueTask']>

const statuses = ['pending', 'running', 'done', 'dead'] as const

const StatusBadge = ({ status }: Pick<Task, 'status'>) => {
  const { t } = useI18n()
  const tones = { pending: 'plain', running: 'new', done: 'good', dead: 'bad' } as const
  return <Badge tone={tones[status]}>{t(`mail.task.${status}`)}</Badge>
}

const useColumns = (): readonly Column<Task>[] => {
  const { t } = useI18n()
  return [
    { id: 'kind', label: t('mail.kind'), cell: ({ kind }) => <code>{kind}</code> },
    { id: 'label', label: t('mail.about'), cell: ({ label }) => <span className="break">{label ?? '–'}</span> },
    { id: 'status', label: t('mail.state'), cell: ({ status }) => <StatusBadge status={status} /> },
    {
      id: 'error',
      label: t('mail.error'),
      isMinor: true,
      cell: ({ lastError }) => <span className="break">{lastError ?? '–'}</span>,
    },
    { id: 'createdAt', label: t('mail.createdAt'), sort: 'createdAt', cell: ({ createdAt }) => <Time at={createdAt} /> },
  ]
}

const Delete = ({ task, onClose }: { readonly task: Task; readonly onClose: () => void }) => {
  const { t } = useI18n()
  const remove = useChange(taskContract, 'deleteTask', t('mail.taskDeleted'))
  const params = { id: task.id }
  return (
    <Confirm
      title={t('mail.deleteTitle')}
      consequences={[t('mail.deleteNotDone', { kind: task.kind }), t('mail.deleteForever')]}
      action={t('mail.delete')}
      reason="required"
      foot={<ShowCall target={taskContract.deleteTask} input={{ params }} command={['drop-task', task.id]} />}
      onConfirm={(reason) => remove({ params, reason })}
      onClose={onClose}
    />
  )
}

const TaskPeek = ({ task }: { readonly task: Task }) => {
  const { t, number } = useI18n()
  const [isDeleting, setIsDeleting] = useState(false)
  const requeue = useAtOnce(taskContract, 'requeueTask', t('mail.requeued'))
  const input = { params: { id: task.id } }
  const blocked = task.status === 'dead' ? undefined : t('mail.onlyDead')
  return (
    <>
      <Facts
        rows={[
          [t('mail.kind'), <code key="kind">{task.kind}</code>],
          [t('mail.about'), task.label ?? undefined],
          [t('mail.state'), <StatusBadge key="status" status={task.status} />],
          [t('mail.attempts'), number(task.attempts)],
          [t('mail.error'), task.lastError ?? undefined],
          [t('mail.key'), task.key === null ? undefined : <code key="key">{task.key}</code>],
          [t('mail.createdAt'), <Time key="created" at={task.createdAt} exact />],
          [t('mail.dueAt'), <Time key="due" at={task.dueAt} exact />],
          [t('mail.keptUntil'), task.expiresAt === null ? undefined : <Time key="kept" at={task.expiresAt} exact />],
          [t('mail.id'), <Id key="id" id={task.id} />],
        ]}
      />
      <div className="page-actions peek-part">
        <ActionButton
          permission="tasks:update"
          icon="refresh"
          blocked={blocked}
          working={requeue.isWorking}
          onClick={() => requeue.start(input)}
        >
          {t('mail.requeue')}
        </ActionButton>
        <ActionButton permission="tasks:update" kind="danger" blocked={blocked} onClick={() => setIsDeleting(true)}>
          {t('mail.delete')}
        </ActionButton>
      </div>
      <ShowCall target={taskContract.requeueTask} input={{ ...input, body: {} }} command={['requeue-task', task.id]} />
      {isDeleting ? <Delete task={task} onClose={() => setIsDeleting(false)} /> : null}
    </>
  )
}

/** The list of tasks in the queue: mails, webhook deliveries and other work that runs later. */
export const TasksScreen = () => {
  const { t } = useI18n()
  const list = useList({
    contract: taskContract,
    name: 'listTasks',
    rows: 'tasks',
    filters: ['status', 'kind', 'createdSince', 'createdUntil'],
    isCounted: true,
  })
  return (
    <Page title={t('mail.tasks')} lead={t('mail.tasksLead')}>
      <div className="filters">
        <FilterSelect
          list={list}
          name="status"
          label={t('mail.state')}
          options={statuses.map((status) => [status, t(`mail.task.${status}`)])}
        />
      </div>
      <DataTable
        label={t('mail.tasks')}
        list={list}
        columns={useColumns()}
        idOf={({ id }) => id}
        nameOf={({ kind }) => kind}
        peek={(task) => <TaskPeek task={task} />}
        bulk={() => import('./bulk.tsx').then(({ TaskBulk }) => TaskBulk)}
        empty={<Empty icon="refresh" title={t('mail.tasksEmpty')} text={t('mail.tasksEmptyText')} />}
        command={['list-tasks']}
      />
    </Page>
  )
}
