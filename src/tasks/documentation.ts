const task = {
  ...{ id: '4pXw2eYB6m1vKQhT8sZcJ0dRfUaLgNiO', kind: 'events.webhook', key: null, label: null },
  ...{ status: 'dead', attempts: 12, dueAt: '2026-11-23T09:00:00.000Z', createdAt: '2026-11-23T08:00:00.000Z' },
  ...{ expiresAt: '2026-12-23T09:00:00.000Z', lastError: 'the receiver answered 500' },
}

/** What the API document says besides the contract. */
export const taskDocumentation = {
  listTasks: {
    description:
      'Newest first. `createdUntil` is exclusive. A page may hold fewer than `limit` tasks and still have a `next`: the filter by status ' +
      'looks at a thousand tasks at a time, that of `dead` at all. What a task carries is never shown; the label of a mail names its address.',
    example: { response: { tasks: [task], next: null } },
  },
  requeueTask: {
    description: 'What `gatehouse requeue-task` does. Only a dead task can be requeued; its attempts are counted anew.',
    example: { response: { ...task, status: 'pending', attempts: 0, expiresAt: null } },
  },
  deleteTask: {
    description: 'What `gatehouse drop-task` does. Only a dead task can be deleted.',
    example: { response: { id: task.id } },
  },
}
