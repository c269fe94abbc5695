import { explanationContract } from '../../../../src/authentication/explanation/contract.ts'
import { applicationContract } from '../../../../src/oidc/clients/contract.ts'
import { grantContract } from '../../../../src/oidc/grants/contract.ts'
import { initialAccessTokenContract } from '../../../../src/oidc/initial-access-tokens/contract.ts'
import { logoutContract } from '../../../../src/oidc/logout/contract.ts'
import { apiContract } from '../../../../src/oidc/resource-servers/contract.ts'
import { testSignInContract } from '../../../../src/oidc/test-sign-ins/contract.ts'
import { newApplicationPath } from '../../../console/applications/paths.ts'
import { daysAgo, daysAhead } from '../../made-up.ts'
import type { Answers } from '../../state.ts'
import { refused } from '../../state.ts'
import type { ScreenCase } from '../case.ts'
import type { Amount } from '../made-up.ts'
import { agoOf, companyOf, emailOf, idOf, nameOf, nextOf, rowsOf, times, totalOf } from '../made-up.ts'
import type { Wire } from '../typed.ts'
import { says, together } from '../typed.ts'
import { eventsOf } from './history.ts'
import { userNames } from './users.ts'

type Application = Wire<typeof applicationContract, 'getApplication'>

const types = ['web', 'spa', 'native', 'machine'] as const
const logo = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36"><rect width="36" height="36" rx="8" fill="#0b1f4d"/><path d="M10 26V10l16 16V10" stroke="#fff" stroke-width="4" fill="none"/></svg>')}`

export const applicationOf = (index: number): Application => {
  const isLarge = index % 5 === 2
  const type = isLarge ? 'web' : (types[index % 4] ?? 'web')
  return {
    clientId: idOf('cli', index),
    name: companyOf(index),
    type,
    redirectUris:
      type === 'machine'
        ? []
        : isLarge
          ? times(
              12,
              (at) =>
                `https://tenant-${at}.customers.northwind-international-holdings.example/authentication/callback/openid-connect?tenant=${at}`,
            )
          : ['https://shop.northwind.example/callback'],
    postLogoutRedirectUris: isLarge ? ['https://customers.northwind-international-holdings.example/signed-out'] : [],
    webOrigins: type === 'spa' ? ['https://shop.northwind.example'] : [],
    scopes: isLarge
      ? ['openid', 'profile', 'email', 'offline_access', 'organizations', 'entitlements', 'phone', 'address']
      : ['openid', 'profile', 'email'],
    idTokenAlg: 'ES256',
    ...(type === 'web' && isLarge
      ? { pkce: null, withoutPkceAt: daysAgo(1) }
      : { pkce: type === 'machine' ? null : ('required' as const), withoutPkceAt: null }),
    unknownScopes: isLarge ? 'ignore' : null,
    requireAcr: isLarge ? '2fa' : null,
    skipConsent: index % 2 === 0,
    understandsAct: index % 3 === 0,
    disabled: index % 6 === 5,
    permissions: type === 'machine' ? ['users:read', 'events:read'] : [],
    icon: null,
    logo: isLarge ? logo : null,
    logoProblem: null,
    color: isLarge ? '#0b1f4d' : null,
    uri: isLarge ? 'https://northwind.example' : null,
    policyUri: isLarge ? 'https://northwind.example/privacy' : null,
    tosUri: null,
    ...{ translations: {}, contacts: isLarge ? ['it@northwind.example', 'security@northwind.example'] : [], jwks: null },
    ...{ softwareId: isLarge ? 'northwind-shop' : null, softwareVersion: isLarge ? '4.2' : null },
    deviceFlow: false,
    ...{ defaultMaxAge: null, requireAuthTime: false, claimsIn: 'userinfo' },
    ...{ organizations: [], mayAct: null },
    ...{
      profile: null,
      userinfoAlg: null,
      dpopBoundAccessTokens: false,
      requestObjectAlg: null,
      requireSignedRequestObject: false,
    },
    ...{ jwksUri: null, sectorIdentifierUri: null },
    authMethod: isLarge && type === 'web' ? 'client_secret_basic' : null,
    subjectType: index % 4 === 3 ? 'pairwise' : 'public',
    backchannelLogoutUri: isLarge ? 'https://northwind.example/backchannel-logout' : null,
    ...{ backchannelLogoutSessionRequired: isLarge, requirePushedAuthorizationRequests: false },
    initiateLoginUri: isLarge ? 'https://northwind.example/login' : null,
    registeredBy: (['administrator', 'person', 'anonymous'] as const)[index % 3] ?? 'administrator',
    registrantId: index % 3 === 1 ? idOf('usr', 2) : null,
    registrant: index % 3 === 1 ? { kind: 'user', id: idOf('usr', 2), name: nameOf(2) } : null,
    review: index % 9 === 1 ? 'approved' : null,
    createdAt: agoOf(index + 3),
    updatedAt: agoOf(index),
  }
}

/** The application of each address, so that charts can show names. */
export const namedApplications = (count: number): Answers =>
  together(
    ...times(count, (index) =>
      says(applicationContract, 'getApplication', applicationOf(index), { clientId: idOf('cli', index) }),
    ),
  )

export const applicationList = (amount: Amount): Answers =>
  says(applicationContract, 'listApplications', {
    clients: rowsOf(amount, applicationOf),
    next: nextOf(amount),
    total: amount === 'many' ? { count: 104_233, isExact: false } : null,
  })

const tokenStates = ['active', 'used-up', 'expired', 'revoked'] as const
const tokenOf = (index: number): Wire<typeof initialAccessTokenContract, 'revokeInitialAccessToken'> => {
  const isLarge = index % 4 === 2
  const state = tokenStates[index % 4] ?? 'active'
  return {
    ...{ id: idOf('iat', index), name: isLarge ? companyOf(2) : 'Build server', hint: 'k3Xw', state },
    types: isLarge ? ['web', 'spa', 'native', 'machine'] : ['web'],
    scopes: isLarge ? ['openid', 'profile', 'email', 'offline_access', 'organizations'] : null,
    redirectHosts: isLarge
      ? times(12, (at) => `tenant-${at}.customers.northwind-international-holdings.example`)
      : ['shop.northwind.example'],
    ...{ maxClients: isLarge ? 100_000 : 5, usedClients: state === 'used-up' ? 5 : index % 5 },
    ...{ createdAt: agoOf(index + 2), expiresAt: state === 'expired' ? daysAgo(1) : daysAhead(7) },
    ...{ revokedAt: state === 'revoked' ? daysAgo(1) : null, lastUsedAt: index % 2 === 0 ? null : agoOf(index) },
  }
}

const apiOf = (index: number): Wire<typeof apiContract, 'getApi'> => {
  const isLarge = index % 4 === 2
  return {
    ...{ id: idOf('api', index), identifier: `https://api-${index}.northwind.example`, name: companyOf(index) },
    scopes: isLarge
      ? times(12, (at) => ({
          ...{ name: `orders:${at}`, description: `See and change orders of the region ${at} of the person`, translations: {} },
          ...{ permission: at % 3 === 0 ? ('member:update' as const) : null, roles: at % 4 === 0 ? ['payroll_admin'] : [] },
        }))
      : [],
    ...{ tokenFormat: index % 3 === 0 ? 'opaque' : 'jwt', signingAlg: 'RS256', tokenTtlSeconds: 600 },
    access: isLarge ? 'listed' : 'all',
    clients: isLarge
      ? times(6, (at) => ({
          clientId: idOf('cli', at),
          scopes: at % 2 === 0 ? null : ['orders:1'],
          mayImpersonate: at === 2,
          exchangeFrom: at === 1 ? ['urn:x'] : [],
        }))
      : [],
    applications: isLarge ? times(6, (at) => ({ kind: 'client', id: idOf('cli', at), name: companyOf(at) })) : [],
    ...{ createdAt: agoOf(index + 2), updatedAt: agoOf(index) },
  }
}
const apiSecret = {
  ...{
    id: idOf('sec', 1),
    hint: 'k3Xw',
    state: 'active' as const,
    createdAt: daysAgo(3),
    expiresAt: null,
    lastUsedAt: daysAgo(1),
  },
}

const claims: Wire<typeof applicationContract, 'previewClaims'>['claims'] = [
  {
    name: 'sub',
    value: idOf('usr', 2),
    scope: 'openid',
    feature: 'identity',
    origins: [{ rule: 'the id of the user', row: `user ${idOf('usr', 2)}` }],
  },
  {
    name: 'entitlements',
    value: ['pro', 'export', 'priority-support'],
    scope: 'entitlements',
    feature: 'billing',
    origins: [{ rule: 'billing.entitlements.0', row: 'subscription sub_01HZX' }],
  },
]

const refusalOf = (index: number, what: string, detail: string, remedy: string | null) => ({
  ...{ id: idOf('ref', index), at: daysAgo(index), lastAt: daysAgo(index), kind: 'failure' as const, what, detail, remedy },
  ...{
    text: '',
    said: null,
    reason: null,
    rule: null,
    attempts: 1,
    code: null,
    userId: null,
    user: null,
    actor: null,
    provider: null,
  },
  ...{ clientId: idOf('cli', 2), application: { kind: 'client', id: idOf('cli', 2), name: companyOf(2) } },
  ...{ address: '192.0.2.7', userAgent: '', requestId: '' },
})
const refusals = [
  refusalOf(1, 'pkce', 'PKCE is required: send code_challenge (S256)', 'gatehouse update-client shop --pkce optional'),
  refusalOf(2, 'scope', 'api roles', 'gatehouse update-client shop --unknown-scopes ignore'),
  refusalOf(3, 'redirect-uri', 'https://shop.northwind.example/auth', 'gatehouse get-client shop'),
]

/** Notices to applications about ended sessions. */
export const noticesOf = (amount: Amount): Answers =>
  says(logoutContract, 'listLogoutNotices', {
    notices: rowsOf(amount, (index) => ({
      ...{ id: idOf('lgn', index), clientId: idOf('cli', index), userId: idOf('usr', index), sessionId: idOf('ses', index) },
      client: { kind: 'client', id: idOf('cli', index), name: companyOf(index) },
      user: { kind: 'user', id: idOf('usr', index), name: nameOf(index) },
      cause: index % 2 === 0 ? 'session.ended' : 'user.sessions_ended',
      state: (['delivered', 'failed', 'waiting', 'dropped'] as const)[index % 4] ?? 'delivered',
      ...{ attempts: index % 4 === 1 ? 10 : 1, answer: index % 4 === 0 ? 200 : null },
      problem: index % 4 === 1 ? 'no answer within 5000 ms' : null,
      ...{ createdAt: agoOf(index), attemptedAt: agoOf(index) },
    })).slice(0, 10),
    next: nextOf(amount),
    total: totalOf(amount),
  })

const oneAnswers = (amount: Amount): Answers =>
  together(
    says(applicationContract, 'getApplication', applicationOf({ empty: 8, few: 0, many: 2 }[amount])),
    says(applicationContract, 'listSecrets', {
      secrets:
        amount === 'empty'
          ? []
          : times(amount === 'many' ? 4 : 1, (index) => ({
              id: idOf('sec', index),
              hint: index === 3 ? null : 'x7Qf',
              state: (['active', 'ending', 'ended', 'ended'] as const)[index] ?? 'ended',
              createdAt: agoOf(index + 3),
              expiresAt: index === 0 ? null : index === 1 ? daysAhead(2) : daysAgo(5),
              lastUsedAt: index === 3 ? null : agoOf(index),
            })),
    }),
    noticesOf(amount),
    says(grantContract, 'listGrants', {
      grants: rowsOf(amount, (index) => ({
        id: idOf('gra', index),
        userId: idOf('usr', index),
        user: { kind: 'user', id: idOf('usr', index), name: nameOf(index) },
        clientId: idOf('cli', 2),
        clientName: companyOf(2),
        scopes: ['openid', 'profile', 'email', 'offline_access'],
        ...{ organizationIds: [], organizations: [], expiresAt: null },
        createdAt: agoOf(index + 1),
        updatedAt: agoOf(index),
      })).slice(0, 10),
      next: nextOf(amount),
      total: totalOf(amount),
    }),
    says(applicationContract, 'previewClaims', {
      user: { id: idOf('usr', 2), name: nameOf(2), email: emailOf(2) },
      organization: { id: idOf('org', 2), name: companyOf(2), slug: 'acme' },
      scopes: ['openid', 'profile'],
      claims,
      isPartial: false,
    }),
    says(explanationContract, 'listSignInFailures', { failures: amount === 'many' ? refusals : [], next: null, total: null }),
    eventsOf(amount),
    userNames,
  )

const one = `/admin/clients/${idOf('cli', 2)}`

/** The result of a test sign-in. The amount `empty` has none, because the person did not come from a sign-in. */
const testedOf = (amount: Amount): Answers =>
  says(
    testSignInContract,
    'finishTestSignIn',
    {
      clientId: idOf('cli', 2),
      user: { id: idOf('usr', 2), name: nameOf(2), email: emailOf(2) },
      organization: amount === 'many' ? { id: idOf('org', 2), name: companyOf(2), slug: 'acme' } : null,
      scopes: ['openid', 'profile', 'email'],
      requested:
        amount === 'many' ? ['openid', 'profile', 'email', 'organizations', 'entitlements'] : ['openid', 'profile', 'email'],
      amr: amount === 'many' ? ['pwd', 'otp', 'mfa'] : ['pwd'],
      acr: amount === 'many' ? 'urn:gatehouse:acr:2' : null,
      authenticatedAt: daysAgo(0),
      claims: claims.slice(0, amount === 'many' ? claims.length : 1),
      isPartial: false,
    },
    { id: idOf('tst', 1) },
  )

const tested = '/admin/test-sign-in/callback'

export const applicationCases: readonly ScreenCase[] = [
  { pattern: '/admin/clients', answers: applicationList, more: { peek: { path: `/admin/clients?peek=${idOf('cli', 2)}` } } },
  { pattern: newApplicationPath, answers: () => ({}) },
  {
    pattern: '/admin/initial-access-tokens',
    answers: (amount) =>
      says(initialAccessTokenContract, 'listInitialAccessTokens', {
        tokens: rowsOf(amount, tokenOf),
        next: nextOf(amount),
        total: totalOf(amount),
      }),
    more: { peek: { path: `/admin/initial-access-tokens?peek=${idOf('iat', 2)}` } },
  },
  {
    pattern: '/admin/apis',
    answers: (amount) =>
      says(apiContract, 'listApis', { apis: rowsOf(amount, apiOf), next: nextOf(amount), total: totalOf(amount) }),
    more: { peek: { path: `/admin/apis?peek=${idOf('api', 2)}` } },
  },
  {
    pattern: '/admin/apis/:apiId',
    path: `/admin/apis/${idOf('api', 2)}`,
    answers: (amount) =>
      together(
        says(apiContract, 'getApi', { ...apiOf(amount === 'empty' ? 1 : 2), id: idOf('api', 2) }, { apiId: idOf('api', 2) }),
        says(apiContract, 'listApiSecrets', { secrets: amount === 'empty' ? [] : [apiSecret] }, { apiId: idOf('api', 2) }),
      ),
    more: { 'not-found': { answers: { [`GET /admin/apis/${idOf('api', 2)}`]: refused(404, 'API_NOT_FOUND') } } },
  },
  {
    pattern: '/admin/clients/:clientId',
    path: one,
    answers: oneAnswers,
    more: { 'not-found': { answers: { [`GET ${one}`]: refused(404, 'CLIENT_NOT_FOUND') } } },
  },
  {
    pattern: '/admin/clients/:clientId/test-sign-in',
    path: `${one}/test-sign-in`,
    answers: oneAnswers,
  },
  {
    pattern: tested,
    path: `${tested}?code=abc&state=${idOf('tst', 1)}`,
    paths: { empty: tested },
    answers: testedOf,
    more: {
      denied: { path: `${tested}?error=access_denied` },
      refused: { path: `${tested}?error=server_error&error_description=oops` },
      over: { answers: { [`POST /admin/test-sign-ins/${idOf('tst', 1)}`]: refused(404, 'TEST_SIGN_IN_NOT_FOUND') } },
    },
  },
]
