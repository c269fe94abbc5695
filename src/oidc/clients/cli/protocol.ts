import { z } from 'zod'
import type { Commands } from '../../../feature.ts'
import { authMethods, subjectTypes } from '../../rules.ts'
import { definedOf } from '../rules.ts'

/** The flags about the protocol, as text. */
export const protocolFlags = {
  authMethod: z.enum(['default', ...authMethods]).optional(),
  subjectType: z.enum(subjectTypes).optional(),
  requirePar: z.boolean().optional(),
  jwksUri: z.string().optional(),
  sectorIdentifierUri: z.string().optional(),
  backchannelLogoutUri: z.string().optional(),
  initiateLoginUri: z.string().optional(),
}
const Flags = z.object(protocolFlags)

/** Adds the options that `register-client` and `update-client` share. */
export const withProtocolOptions = (command: Parameters<Commands<never>>[0]) =>
  command
    .choice(
      '--auth-method <method>',
      'how it authenticates; private_key_jwt with keys of its own leaves no secret (default: a secret, in the header or the form)',
      ['default', ...authMethods],
    )
    .option('--jwks-uri <uri>', 'address of its public keys, for private_key_jwt; "" for none')
    .choice('--subject-type <type>', 'pairwise: another identifier of a person for each sector', subjectTypes)
    .option('--sector-identifier-uri <uri>', 'address of a list of redirect addresses that are one sector; "" for none')
    .option('--backchannel-logout-uri <uri>', 'address that is told when a session ends in which it took part; "" for none')
    .option('--initiate-login-uri <uri>', 'address at which it starts a sign-in by itself; "" for none')
    .option('--require-par', 'refuse authorization requests that it did not push before')
    .option('--no-require-par', 'take authorization requests as they come')

const address = (value: string | undefined) => (value === '' ? null : value)

/** Separates the flags about the protocol from the other flags. */
export const readProtocol = <F extends z.output<typeof Flags>>(flags: F) => {
  const { authMethod, subjectType, requirePar, jwksUri, sectorIdentifierUri, backchannelLogoutUri, initiateLoginUri, ...rest } =
    flags
  const protocol = definedOf({
    ...{ authMethod: authMethod === 'default' ? null : authMethod, subjectType, jwksUri: address(jwksUri) },
    requirePushedAuthorizationRequests: requirePar,
    ...{ sectorIdentifierUri: address(sectorIdentifierUri), initiateLoginUri: address(initiateLoginUri) },
    backchannelLogoutUri: address(backchannelLogoutUri),
  })
  return { protocol, rest }
}
