import { ann, daysAgo, daysAhead, noRecovery, organizations, userId } from './made-up.ts'
import type { Answers } from './state.ts'

const identity = (provider: string, accountId: string, scopes: readonly string[] = []) => ({
  id: `identity-${provider}`,
  provider,
  providerId: provider,
  userId,
  createdAt: daysAgo(60),
  updatedAt: daysAgo(60),
  accountId,
  scopes,
})

export const passwordIdentity = identity('credential', userId)
export const githubIdentity = identity('github', '4711', ['read:user', 'user:email'])

export const passkey = {
  id: 'passkey-1',
  userId,
  name: 'Ann’s phone',
  credentialID: 'bWFkZS11cA',
  publicKey: 'bWFkZS11cA',
  counter: 0,
  deviceType: 'multiDevice',
  backedUp: true,
  transports: 'internal,hybrid',
  aaguid: '00000000-0000-0000-0000-000000000000',
  userVerified: true,
  createdAt: daysAgo(40),
  lastUsedAt: daysAgo(1),
}

export const noSecondFactors = {
  isEnabled: false,
  methods: [],
  totpSince: null,
  recoveryCodes: null,
  dueAt: null,
  rememberedBrowsers: 0,
}
export const secondFactors = {
  isEnabled: true,
  methods: ['totp', 'recovery-code', 'passkey'],
  totpSince: daysAgo(30),
  recoveryCodes: { left: 3, since: daysAgo(30) },
  dueAt: null,
  rememberedBrowsers: 1,
}

const { session } = ann
const listed = (id: string, device: string, userAgent: string, current: boolean) => ({
  ...{ ...session, id, token: id, device, userAgent, current },
})

export const acme = {
  ...organizations[0],
  logo: null,
  metadata: null,
  createdAt: daysAgo(80),
  requiresSecondFactor: false,
}
const long = { ...acme, ...organizations[1], requiresSecondFactor: true }

export const invitation = {
  id: 'invitation-1',
  organizationId: 'org-acme',
  email: 'bob@example.com',
  role: 'member',
  teamId: null,
  status: 'pending',
  expiresAt: daysAhead(6),
  inviterId: userId,
  createdAt: daysAgo(1),
}

const member = (id: string, name: string, email: string, role: string) => ({
  id: `member-${id}`,
  organizationId: 'org-acme',
  userId: `user-${id}`,
  role,
  teamId: null,
  createdAt: daysAgo(70),
  user: { id: `user-${id}`, name, email, image: null },
})
export const members = [
  member('ann', 'Ann Example', 'ann@example.com', 'owner'),
  member('bob', 'Bob Example', 'bob@example.com', 'admin'),
  member(
    'cleo',
    'Cleopatra Philadelphia-Wolkenstein von Hohenzollern',
    'cleopatra.philadelphia.wolkenstein@subsidiary.example',
    'member',
  ),
]

const team = (id: string, name: string) => ({
  id: `team-${id}`,
  name,
  organizationId: 'org-acme',
  createdAt: daysAgo(50),
  updatedAt: daysAgo(50),
})
export const teams = [team('sales', 'Sales'), team('support', 'Support')]

const roleNames = ['owner', 'admin', 'member']

/** An organization as its owner sees it. */
export const ownedView = {
  organization: acme,
  seats: { seats: 5, isFree: false, members: 3, invitations: 1 },
  plan: 'Team',
  ownerRole: 'owner',
  member: { id: 'member-ann', role: 'owner', createdAt: daysAgo(80), isOnlyOwner: true },
  permissions: {
    organization: ['read', 'update', 'delete'],
    member: ['read', 'create', 'update', 'delete'],
    invitation: ['read', 'create', 'cancel'],
    team: ['read', 'create', 'update', 'delete'],
  },
  roles: roleNames.map((name) => ({ name, canAssign: true, canManage: true })),
}
/** The organization as a plain member sees it. */
export const joinedView = {
  organization: acme,
  seats: null,
  plan: null,
  ownerRole: 'owner',
  member: { id: 'member-ann', role: 'member', createdAt: daysAgo(80), isOnlyOwner: false },
  permissions: { organization: ['read'], member: ['read'], team: ['read'] },
  roles: roleNames.map((name) => ({ name, canAssign: false, canManage: false })),
}

/** The answers for a signed-in person who uses most functions. */
export const accountAnswers: Answers = {
  'GET /list-accounts': [passwordIdentity, githubIdentity],
  'GET /passkey/list-user-passkeys': [passkey],
  'GET /api-key/list': { apiKeys: [], next: null },
  'GET /two-factor/status': secondFactors,
  'GET /two-factor/recovery': noRecovery,
  'GET /two-factor/list-remembered-browsers': [
    {
      id: 'browser-1',
      device: 'Firefox on Linux',
      userAgent: session.userAgent,
      ipAddress: session.ipAddress,
      createdAt: daysAgo(10),
      lastUsedAt: daysAgo(1),
      expiresAt: daysAhead(20),
      current: true,
    },
  ],
  'GET /list-sessions': [
    listed('session-1', 'Firefox on Linux', session.userAgent, true),
    listed('session-2', 'Safari on iPhone', 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1', false),
  ],
  'GET /list-sign-ins': {
    signIns: [
      {
        id: 'sign-in-1',
        at: daysAgo(0.1),
        outcome: 'succeeded',
        methods: ['password', 'second-factor'],
        attempts: 1,
        address: session.ipAddress,
        userAgent: session.userAgent,
      },
      {
        id: 'sign-in-2',
        at: daysAgo(1.5),
        outcome: 'failed',
        methods: ['password'],
        attempts: 4,
        address: '198.51.100.23',
        userAgent: session.userAgent,
      },
    ],
  },
  'GET /connected-applications': {
    applications: [
      {
        clientId: 'northwind-shop',
        name: 'Northwind Shop',
        logo: null,
        uri: 'https://shop.northwind.example',
        scopes: ['openid', 'profile', 'email', 'offline_access'],
        organizations: [organizations[0]],
        apis: [
          {
            ...{ identifier: 'https://orders.northwind.example', name: 'Northwind Orders' },
            scopes: ['See your orders and where they are'],
          },
        ],
        actsThrough: [],
        asksForConsent: true,
        openUri: null,
        connectedAt: daysAgo(20),
        lastUsedAt: daysAgo(2),
      },
      {
        ...{
          openUri: null,
          clientId: 'northwind-agent',
          name: 'Northwind Agent',
          logo: null,
          uri: null,
          scopes: [],
          organizations: [],
          apis: [],
        },
        actsThrough: [{ clientId: 'northwind-shop', name: 'Northwind Shop' }],
        ...{ asksForConsent: true, connectedAt: daysAgo(1), lastUsedAt: daysAgo(1) },
      },
    ],
  },
  'GET /organization/list': [
    { ...acme, role: 'owner' },
    { ...long, role: 'member' },
  ],
  'GET /organization/list-user-invitations': [],
  'GET /hosted/only-owned-organizations': { organizations: [] },
  'GET /hosted/organization': ownedView,
  'GET /organization/list-members': { members, total: members.length },
  'GET /organization/list-invitations': [
    invitation,
    { ...invitation, id: 'invitation-2', email: 'dora@example.com', role: 'admin', expiresAt: daysAgo(3) },
  ],
  'GET /organization/list-teams': teams,
  'GET /organization/list-user-teams': [teams[0]],
  'GET /organization/list-team-members': [
    { id: 'team-member-1', teamId: 'team-sales', userId: 'user-bob', createdAt: daysAgo(30) },
  ],
}

/** The answers for a person without any data. */
export const emptyAnswers: Answers = {
  ...accountAnswers,
  'GET /list-accounts': [passwordIdentity],
  'GET /passkey/list-user-passkeys': [],
  'GET /api-key/list': { apiKeys: [], next: null },
  'GET /two-factor/status': noSecondFactors,
  'GET /two-factor/list-remembered-browsers': [],
  'GET /list-sign-ins': { signIns: [] },
  'GET /connected-applications': { applications: [] },
  'GET /organization/list': [],
  'GET /organization/list-teams': [],
  'GET /organization/list-user-teams': [],
  'GET /organization/list-invitations': [],
}
