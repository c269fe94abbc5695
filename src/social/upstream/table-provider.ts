import { decodeJwt, importPKCS8, SignJWT } from 'jose'
import OAuth2Strategy from 'passport-oauth2'
import { invalidToken, socialErrors } from '../errors.ts'
import type { ProviderDefinition } from '../rules/definition.ts'
import type { Json } from '../rules/reading.ts'
import { createIdTokenVerifier } from './id-token.ts'
import { createRefusals } from './refusal.ts'
import { innerClient } from './run-strategy.ts'
import { createStrategyUpstream, type StrategyRun } from './strategy-upstream.ts'
import { type ClientProof, requestTokens } from './tokens.ts'
import type { Person, Upstream, UpstreamSettings } from './types.ts'

/** Microsoft's tenant of personal accounts. */
const personalTenant = '9188040d-6c67-4c5b-b112-36a304b66dad'

const tenantOf = (tenantId: string): string | undefined =>
  tenantId === 'consumers' ? personalTenant : /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(tenantId) ? tenantId : undefined

/** Any provider of the table, over one strategy of passport-oauth2. */
export const createTableProvider = (settings: UpstreamSettings, definition: ProviderDefinition): Upstream => {
  const { id, section, clientId, outbound, clock, log } = settings
  const { userinfoUrl, userinfoMethod } = definition
  const refusal = createRefusals(log, id)
  const verifyIdToken =
    definition.idToken === undefined
      ? undefined
      : createIdTokenVerifier(
          { ...definition.idToken, tenant: id === 'microsoft' ? tenantOf(section.tenantId) : undefined },
          { outbound, clock },
        )

  const toPerson = (data: Json): Person => {
    const profile = definition.profile(data)
    if (profile === undefined) throw socialErrors.refuse('UNABLE_TO_GET_USER_INFO')
    return { profile, data }
  }

  /** Apple: the secret is a token that is signed for each use and lives five minutes. */
  const signSecret = async (): Promise<string> => {
    const { teamId = '', keyId = '', privateKey = '' } = section
    return new SignJWT()
      .setProtectedHeader({ alg: 'ES256', kid: keyId })
      .setIssuer(teamId)
      .setSubject(clientId)
      .setAudience('https://appleid.apple.com')
      .setIssuedAt(clock.now())
      .setExpirationTime(clock.after(300))
      .sign(await importPKCS8(privateKey.replaceAll('\\n', '\n'), 'ES256'))
  }

  const proof = async (): Promise<ClientProof> => ({
    clientId,
    clientSecret: definition.signedSecret && settings.clientSecret === undefined ? await signSecret() : settings.clientSecret,
    idParam: definition.clientIdParam ?? 'client_id',
    basic: (section.clientAuth ?? definition.clientAuth) === 'basic',
  })

  const fetchProfile = async (url: string, accessToken: string): Promise<Person> => {
    const bearer = { authorization: `Bearer ${accessToken}` }
    const answer = await outbound.send(
      url,
      userinfoMethod === 'form'
        ? {
            method: 'POST',
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
            body: new URLSearchParams({ access_token: accessToken, client_id: clientId }).toString(),
          }
        : { method: userinfoMethod ?? 'GET', headers: bearer },
    )
    if (answer.status !== 200) throw new Error(`the profile endpoint answered ${answer.status}`)
    return toPerson(JSON.parse(answer.text))
  }

  const create = ({ options, verify, flow, answer }: StrategyRun) => {
    const strategy = new OAuth2Strategy(options, verify)
    innerClient(strategy).getOAuthAccessToken = (code, params, done) => {
      proof()
        .then((client) => requestTokens(outbound, definition.tokenUrl, client, { ...params, code }))
        .then((json) => {
          const { access_token, refresh_token, ...rest } = json as Record<string, unknown>
          done(null, access_token, refresh_token, rest)
        })
        .catch(done)
    }
    const load = async (accessToken: string): Promise<Person> => {
      if (userinfoUrl !== undefined) return fetchProfile(userinfoUrl, accessToken)
      const { id_token: idToken } = answer() as { id_token?: unknown }
      if (verifyIdToken === undefined || typeof idToken !== 'string') throw new Error('there is no ID token')
      return toPerson(await verifyIdToken(idToken, { audiences: [clientId], nonce: flow.nonce }))
    }
    strategy.userProfile = (accessToken, done) => {
      load(accessToken).then((person) => done(undefined, person), done)
    }
    return strategy
  }

  return createStrategyUpstream(settings, definition, {
    create,
    toPerson: (person) => person as Person,
    proof,
    sendsNonce: userinfoUrl === undefined,
    fromIdToken:
      verifyIdToken &&
      (async (token, nonce) => {
        const claims = await verifyIdToken(token, { audiences: [clientId, ...section.audiences], nonce }).catch(
          (error: unknown) => {
            log.warn({ provider: id, reason: (error as Error).message }, 'ID token refused')
            throw invalidToken()
          },
        )
        return toPerson(claims)
      }),
    person: async ({ accessToken, idToken }) => {
      try {
        if (userinfoUrl !== undefined && accessToken !== undefined) return await fetchProfile(userinfoUrl, accessToken)
        // Verified when it came; what it says is as old as the sign-in.
        if (idToken !== undefined) return toPerson(decodeJwt(idToken))
      } catch (error) {
        throw refusal('UNABLE_TO_GET_USER_INFO', error)
      }
      throw socialErrors.refuse('UNABLE_TO_GET_USER_INFO')
    },
  })
}
