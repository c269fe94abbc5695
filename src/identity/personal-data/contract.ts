import { contract, stream } from '../../http/contract.ts'

export const personalDataContract = contract('Own data', {
  downloadUserData: {
    method: 'GET',
    path: '/download-user-data',
    changes: true,
    summary: 'All that is kept about the own account, as one JSON file without secrets',
    // Not for who only looks at the account: an administrator who acts as the user.
    access: { permission: 'account:update', fresh: true, session: true },
    response: stream('application/json'),
    errors: [],
    limit: 'strict',
  },
})
