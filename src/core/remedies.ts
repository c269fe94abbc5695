import { inShell } from './terminal.ts'
import { nameFrom } from './wire.ts'

/**
 * Commands that messages print as remedies. Each command works exactly as it is printed, on the instance that prints it
 * (`test/cli/remedies.db.test.ts` runs all of them). `place` contains the options that say which instance is meant. Messages that are not
 * printed by an instance name a command without `gatehouse` before it.
 */
export const createRemedies = (place: readonly string[]) => {
  const command = (name: string, ...words: readonly string[]) =>
    ['gatehouse', name, ...[...words, ...place].map(inShell)].join(' ')
  return {
    addWebhookEndpoint: (name: string) => command('add-webhook-endpoint', '--name', name),
    backup: (...options: readonly string[]) => command('backup', ...options),
    checkConfig: () => command('check-config'),
    createRecoveryLink: (user: string, ...options: readonly string[]) =>
      command('create-recovery-link', '--user', user, ...options),
    createSetupLink: () => command('create-setup-link'),
    createUser: (email: string) =>
      command('create-user', '--email', email, '--name', nameFrom(email.split('@')[0] ?? '') ?? 'New user'),
    doctor: () => command('doctor'),
    enableClient: (clientId: string) => command('enable-client', clientId),
    endSessions: (user: string) => command('end-sessions', '--user', user),
    explainSignIn: (address: string) => command('explain-sign-in', '--address', address),
    getClient: (clientId: string) => command('get-client', clientId),
    getOrg: (organization: string) => command('get-org', '--org', organization),
    getUser: (user: string) => command('get-user', '--user', user),
    listClients: () => command('list-clients'),
    listDeadTasks: (kind?: string) => command('list-tasks', '--status', 'dead', ...(kind === undefined ? [] : ['--kind', kind])),
    listFactors: (user: string) => command('list-factors', '--user', user),
    listFailedMails: () => command('list-mails', '--state', 'failed'),
    listInvitations: () => command('list-invitations'),
    listLogoutNotices: (clientId: string) => command('list-logout-notices', '--client', clientId),
    listOverdueUsers: () => command('list-users', '--second-factor', 'overdue'),
    listQuarantinedDeliveries: () => command('list-deliveries', '--verdict', 'quarantined'),
    listSettings: () => command('config', 'list', '--source', 'database'),
    listUsersWithRole: (role: string) => command('list-users', '--role', role),
    /** This command has no options of `place`, because the instance is on another machine. */
    login: (instance: string) => `gatehouse login --remote ${inShell(instance)}`,
    migrate: () => command('migrate'),
    reencrypt: () => command('reencrypt'),
    requireFactor: (user: string) => command('require-factor', '--user', user),
    rotateApiKey: (id: string, ...options: readonly string[]) => command('rotate-api-key', id, ...options),
    rotateClientSecret: (clientId: string, ...options: readonly string[]) =>
      command('rotate-client-secret', clientId, ...options),
    rotateJwks: () => command('rotate-jwks'),
    rotateWebhookSecret: (name: string) => command('rotate-webhook-secret', '--name', name),
    serve: () => command('serve'),
    settingsHistory: () => command('config', 'history'),
    setPassword: (user: string) => command('set-password', '--user', user),
    unbanUser: (user: string) => command('unban-user', '--user', user),
    updateClient: (clientId: string, ...options: readonly string[]) => command('update-client', clientId, ...options),
    verifyAudit: () => command('verify-audit'),
  }
}
export type Remedies = ReturnType<typeof createRemedies>
