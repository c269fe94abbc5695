import { providerAdministrationContract } from '../../../../src/authentication/methods/federated/administration/contract.ts'
import { locales } from '../../../../src/core/locale.ts'
import { settingsContract } from '../../../../src/settings/contract.ts'
import { statisticsContract } from '../../../../src/statistics/contract.ts'
import { daysAgo } from '../../made-up.ts'
import type { Answers } from '../../state.ts'
import type { ScreenCase } from '../case.ts'
import type { Amount } from '../made-up.ts'
import { times } from '../made-up.ts'
import type { Wire } from '../typed.ts'
import { says, together } from '../typed.ts'
import { mailAnswers } from './mail.ts'
import { statisticsOf } from './overview.ts'
import { rolesAnswer } from './people.ts'
import { settingsAnswer } from './settings.ts'
import { checksOf } from './system.ts'

type Provider = Wire<typeof providerAdministrationContract, 'adminListProviders'>['providers'][number]

const none = { issuer: null, discovery: null, authorization: null, token: null, userinfo: null, jwks: null }
const long = 'https://login.identity.northwind-international-holdings.example/realms/employees-and-contractors'

const providerOf = (index: number): Provider => {
  const isOpenid = index % 3 === 1
  const id = index === 0 ? 'google' : isOpenid ? `northwind-employees-and-contractors-${index}` : `custom-${index}`
  return {
    id,
    name:
      index === 0
        ? 'Google'
        : isOpenid
          ? 'Northwind Employees and Contractors (Europe, Middle East and Africa)'
          : `Directory ${index}`,
    type: index === 0 ? 'built-in' : isOpenid ? 'openid' : 'oauth2',
    clientId: '407408718192-9dmqbsnmqkoagt7gq5pprkb7ouhhkqcv.apps.googleusercontent.com',
    hasClientSecret: index % 2 === 0,
    redirectUri: `https://id.northwind.example/callback/${id}`,
    scopes: ['openid', 'email', 'profile'],
    addresses: isOpenid
      ? {
          issuer: long,
          discovery: `${long}/.well-known/openid-configuration`,
          authorization: `${long}/authorize`,
          token: `${long}/token`,
          userinfo: `${long}/userinfo`,
          jwks: `${long}/certs`,
        }
      : none,
    pkce: true,
    trustsEmail: index === 0,
    signUpEnabled: index % 2 === 0,
    implicitSignUp: false,
    accounts: index === 0 ? 1_001 : index * 3,
    configured: isOpenid ? ['issuer', 'scopes', 'trustsEmail', 'name', 'pkce'] : [],
  }
}

const providersOf = (amount: Amount): Answers =>
  together(
    settingsAnswer(amount),
    says(providerAdministrationContract, 'adminListProviders', {
      providers: times({ empty: 0, few: 2, many: 20 }[amount], providerOf),
      builtIn: ['GitHub', 'Google', 'Microsoft'].map((name) => ({
        ...{ id: name.toLowerCase(), name, redirectUri: `https://id.northwind.example/callback/${name.toLowerCase()}` },
      })),
    }),
    says(statisticsContract, 'statistics', statisticsOf(amount)),
    says(
      providerAdministrationContract,
      'adminProviderUse',
      amount === 'many'
        ? {
            accounts: 104_233,
            lastSignInAt: daysAgo(0.01),
            lastFailure: {
              at: daysAgo(0.5),
              reason: 'The provider refused the exchange of the code',
              code: 'PROVIDER_REFUSED',
              answer:
                '{"error":"invalid_client","error_description":"AADSTS7000215: Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, not the client secret ID"}',
              requestId: '0192f3c4-5d6e-7f80-9a1b-000000000007',
            },
          }
        : { accounts: 0, lastSignInAt: null, lastFailure: null },
    ),
  )

const provider = `/admin/providers/${providerOf(1).id}`

const textsOf = (amount: Amount): Answers =>
  says(settingsContract, 'listTexts', {
    directory: amount === 'empty' ? null : '/etc/gatehouse/texts',
    languages: locales.map((language, index) => ({
      language,
      sections: (['account', 'organizations', 'pages'] as const).map((section) => ({
        section,
        own: amount === 'empty' || index > 1 ? [] : times(amount === 'many' ? 40 : 2, (at) => `signIn.title.${at}`),
        missing: amount === 'many' && index > 1 ? times(40, (at) => `signIn.title.${at}`) : [],
      })),
    })),
  })

export const waysCases: readonly ScreenCase[] = [
  { pattern: '/admin/ways-in', answers: (amount) => together(settingsAnswer(amount), checksOf(amount), rolesAnswer()) },
  { pattern: '/admin/providers', answers: providersOf },
  {
    pattern: '/admin/providers/:id',
    path: provider,
    // Without providers this page would not exist, so the smallest amount has one unused provider.
    answers: (amount) => providersOf(amount === 'empty' ? 'few' : amount),
    more: { 'not-found': { path: '/admin/providers/nobody' } },
  },
  { pattern: '/admin/texts', answers: textsOf },
  { pattern: '/admin/brand', answers: (amount) => together(settingsAnswer(amount), mailAnswers(amount)) },
]
