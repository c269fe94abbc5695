import type { Interaction, SessionAnswer, Settings } from './types.ts'

/** A time relative to now, so that pages always show the same distance. */
export const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString()
export const daysAhead = (days: number): string => daysAgo(-days)

export const settings: Settings = {
  name: 'gatehouse',
  brand: {
    version: 'made-up',
    isNamed: false,
    logo: null,
    logoDark: null,
    icon: null,
    background: 'arches',
    links: {},
    poweredBy: false,
  },
  emailPasswordEnabled: true,
  signUpEnabled: true,
  emailVerificationRequired: false,
  passwordMinLength: 8,
  passwordMaxLength: 128,
  passwordResetEnabled: true,
  passkeysEnabled: true,
  passkeyOffer: 'never',
  mailSignInEnabled: false,
  mailSignUpEnabled: false,
  addressFirst: false,
  userNames: { mode: 'off', minLength: 3, maxLength: 30, changeableBy: 'user' },
  changeEmailEnabled: true,
  deleteUserEnabled: true,
  deleteUserVerification: false,
  socialProviders: [],
  socialSignUpEnabled: false,
  socialAutoRedirect: false,
  userFields: [],
  organizationsEnabled: true,
  teamsEnabled: true,
  organizationCreation: 'verified',
}

export const providers = [
  { id: 'google', name: 'Google' },
  { id: 'github', name: 'GitHub' },
  { id: 'microsoft', name: 'Microsoft' },
  { id: 'apple', name: 'Apple' },
  { id: 'discord', name: 'Discord' },
  { id: 'gitlab', name: 'GitLab' },
]

export const userId = 'user-ann'

export const ann: SessionAnswer = {
  session: {
    id: 'session-1',
    token: 'made-up',
    userId,
    expiresAt: daysAhead(7),
    createdAt: daysAgo(0.1),
    updatedAt: daysAgo(0.1),
    ipAddress: '203.0.113.7',
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    activeOrganizationId: 'org-acme',
    activeTeamId: null,
    impersonatedBy: null,
  },
  user: {
    id: userId,
    name: 'Ann Example',
    email: 'ann@example.com',
    emailVerified: true,
    image: null,
    role: 'user',
    language: null,
    twoFactorEnabled: false,
    createdAt: daysAgo(90),
    updatedAt: daysAgo(2),
  },
}

export const administrator: SessionAnswer = { ...ann, user: { ...ann.user, role: 'admin' } }

export const interaction: Interaction = {
  uid: 'made-up',
  prompt: 'login',
  signInPage: '/sign-in?interaction=made-up',
  client: {
    clientId: 'northwind-shop',
    name: 'Northwind Shop',
    logo: null,
    redirectHost: 'shop.northwind.example',
    uri: 'https://shop.northwind.example',
    policyUri: 'https://shop.northwind.example/privacy',
    tosUri: null,
    standing: 'registered',
  },
  scopes: ['openid', 'profile', 'email', 'offline_access'],
  apis: [],
  newScopes: ['openid', 'profile', 'email', 'offline_access'],
  organization: null,
  organizations: [],
  needsOrganizationChoice: false,
  stepUp: null,
  loginHint: null,
  user: null,
}

export const deviceRequest = {
  userCode: 'BCDF-GHJK',
  client: { ...interaction.client, clientId: 'northwind-tv', name: 'Northwind TV' },
  scopes: ['openid', 'profile', 'offline_access'],
  address: '203.0.113.7',
  userAgent: 'northwind-tv/2.1',
  isElsewhere: false,
  requestedAt: '2026-11-23T09:00:00.000Z',
  expiresAt: '2026-11-23T09:10:00.000Z',
}

export const organizations = [
  { id: 'org-acme', slug: 'acme', name: 'Acme', logo: null },
  { id: 'org-long', slug: 'long', name: 'Vereinigte Donaudampfschifffahrtsgesellschaft und Söhne', logo: null },
]

export const pendingSignIn = {
  methods: ['totp', 'passkey', 'recovery-code', 'mail-code'],
  mustEnrol: false,
  origin: 'pending',
  rememberDays: 30,
  email: 'a…@example.com',
}

export const noRecovery = { state: 'unavailable', waitDays: 7, readyAt: null, expiresAt: null }
