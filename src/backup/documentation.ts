const made = {
  id: 'Yd0mZk1vXw0bT7mY5sR8uN2cD4eF6gH0',
  status: 'made' as const,
  reason: 'schedule' as const,
  startedAt: '2026-11-22T03:30:00.000Z',
  endedAt: '2026-11-22T03:30:04.000Z',
  file: '/var/backups/gatehouse/gatehouse-20261122T033000Z-Ab3dEf.jsonl.gz',
  bytes: 183_204,
  rows: 9_412,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  hasKeys: true,
  error: null,
}

/** What the API document says besides the contract. The pages load contracts, and none of this. */
export const backupDocumentation = {
  adminListBackups: {
    description:
      'Newest first. A backup with the status `deleted` is remembered, but retention (`backup.keep`) has deleted its file.',
    example: { response: { backups: [made], next: null } },
  },
  adminGetBackup: { description: 'As the list shows it.', example: { response: made } },
  adminDownloadBackup: {
    description:
      'Only files in `backup.directory` of the node that answers; the others are refused with `BACKUP_IS_ELSEWHERE`. It needs a session that started within `sessions.freshAgeSeconds`, which no API key has, and is recorded as `backup.downloaded`. The master secret is in no file in clear: it is sealed under the passphrase, or left out.',
  },
  adminCreateBackup: {
    description:
      'Returns at once; a node with `backup.directory` writes the file a moment later and reads it again. `GET /admin/backups` then says `made` or `failed`.',
    example: {
      body: {},
      response: {
        ...made,
        ...{ status: 'pending' as const, reason: 'call' as const, endedAt: null, file: null },
        ...{ bytes: null, rows: null, sha256: null, hasKeys: null },
      },
    },
  },
}
