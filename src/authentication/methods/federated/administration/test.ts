import type { z } from 'zod'
import type { Principal } from '../../../../access/principal.ts'
import type { Trial } from '../../../../core/configuration.ts'
import type { Core } from '../../../../core/core.ts'
import type { Outbound } from '../../../../core/fetch.ts'
import { isLoopbackUrl } from '../../../../core/web.ts'
import type { ProviderSection, SocialConfig } from '../config.ts'
import { socialErrors, socialEvents } from '../contract.ts'
import { definitionOf, redirectUriOf } from '../providers/create.ts'
import { credentialsOf } from '../providers/oauth2.ts'
import { type IdentityProvider, reasonOf } from '../providers/provider.ts'
import type { ClientCredentials } from '../providers/token-endpoint.ts'
import type { ProviderTest } from './contract.ts'
import { type Finding, failed, isFinding, passed, probeAuthorization, probeKeys, probeToken, readJson, skipped } from './probe.ts'

type Result = z.output<typeof ProviderTest>
type Step = Result['steps'][number]

interface Deps extends Pick<Core, 'transact' | 'clock' | 'random' | 'events'> {
  readonly outbound: Outbound
  readonly config: SocialConfig
  readonly providers: ReadonlyMap<string, IdentityProvider>
  /** The public URL of this server. */
  readonly url: string
}

/** The endpoints to test, and the client's credentials at the provider. */
interface Target {
  readonly keys: string | undefined
  readonly token: string | undefined
  readonly credentials: () => Promise<ClientCredentials>
}

const trimmed = (url: string) => url.replace(/\/$/, '')

const checkCallback = (id: string, redirectUri: string, url: string): Finding => {
  if (new URL(redirectUri).origin !== new URL(url).origin)
    return failed(`People come back to ${redirectUri}, which is not on ${url}`, `Correct social.${id}.redirectUri, or url`)
  if (redirectUri.startsWith('http:') && !isLoopbackUrl(redirectUri))
    return failed(
      `People come back to ${redirectUri}: most providers refuse http`,
      'Give the installation an https address (url)',
    )
  return passed(`People come back to ${redirectUri}`)
}

const compare = 'Compare the address with the documents of the provider'
const isWhole = (server: string) => server.includes('/.well-known/')

const checkIssuer = (id: string, named: unknown, configured: string | undefined): Finding => {
  if (typeof named !== 'string') return failed('The discovery document names no issuer', compare)
  if (configured === undefined || trimmed(configured) === trimmed(named)) return passed(`It names itself ${named}`)
  return failed(`It names itself ${named}, and the configuration says ${configured}`, `Set social.${id}.issuer to ${named}`)
}

/** Called if the issuer in the discovery document fits the configuration, but a sign-in would refuse the document all the same. Explains why. */
const notAccepted = (id: string, { discoveryUrl }: ProviderSection, named: unknown, server: string, error: unknown): Finding => {
  // The library compares the issuer with the configured URL. It does not if that is the URL of the discovery document itself.
  const isSame = isWhole(server) || URL.parse(String(named))?.href === URL.parse(server)?.href
  const key = discoveryUrl === undefined ? 'issuer' : 'discoveryUrl'
  return isSame
    ? failed(`A sign-in does not accept the document: ${reasonOf(error)}`, compare)
    : failed(
        `It names itself ${named}, and is asked for as ${server}`,
        `If that is the provider, set social.${id}.${key} to ${named}`,
      )
}

/**
 * Tests an identity provider with the requests of a sign-in, without a person. Each request has a limit of time and size. Its URL is
 * checked like the URL of every outgoing request.
 */
export const createProviderTest = (deps: Deps) => {
  const { transact, clock, random, events, outbound, config, providers, url } = deps

  const runSteps = async (id: string, section: ProviderSection, provider: IdentityProvider): Promise<readonly Step[]> => {
    const { clientId = '', clientSecret } = section
    const redirectUri = redirectUriOf(id, section, url)
    const steps: Step[] = []
    const timed = async (step: Step['step'], work: () => Promise<Finding>): Promise<Step> => {
      const start = performance.now()
      const finding = await work()
      return { step, ...finding, milliseconds: Math.round(performance.now() - start) }
    }
    const definition = definitionOf(id, section)

    const skip = (...more: readonly Step['step'][]): undefined => {
      for (const step of [...more, 'keys', 'authorization', 'token'] as const) steps.push({ step, ...skipped, milliseconds: 0 })
    }

    const discover = async (): Promise<Target | undefined> => {
      const start = performance.now()
      const server = section.discoveryUrl ?? section.issuer ?? ''
      const document = isWhole(server) ? server : `${trimmed(server)}/.well-known/openid-configuration`
      const json = await readJson(outbound, document)
      const finding = isFinding(json) ? json : passed(`The discovery document is at ${document}`)
      steps.push({ step: 'discovery', ...finding, milliseconds: Math.round(performance.now() - start) })
      if (isFinding(json)) return skip('issuer')
      const named = json['issuer']
      const issuer = checkIssuer(id, named, section.issuer)
      // If a real sign-in would fail here, the test stops, so that the client secret is not sent.
      const found = issuer.outcome === 'passed' ? await provider.discover?.().catch((error: unknown) => ({ error })) : undefined
      if (found === undefined || 'error' in found) {
        const finding = found === undefined ? issuer : notAccepted(id, section, named, server, found.error)
        steps.push({ step: 'issuer', ...finding, milliseconds: 0 })
        return skip()
      }
      steps.push({ step: 'issuer', ...issuer, milliseconds: 0 })
      const basic = section.clientAuth !== 'post' && clientSecret !== undefined
      return {
        ...found,
        credentials: async () => ({ clientId, clientSecret, idParam: 'client_id', basic }),
      }
    }

    steps.push({ step: 'callback', ...checkCallback(id, redirectUri, url), milliseconds: 0 })
    const target: Target | undefined =
      definition === undefined
        ? await discover()
        : {
            keys: definition.idToken?.jwksUrl,
            token: definition.tokenUrl,
            credentials: () => credentialsOf({ section, clientId, clientSecret, clock }, definition),
          }
    if (target === undefined) return steps
    const { keys, token } = target
    const [state, codeVerifier, nonce, code] = [random.token(32), random.token(43), random.token(32), random.token(32)]
    const others = await Promise.all([
      keys === undefined ? undefined : timed('keys', () => probeKeys(outbound, keys)),
      timed('authorization', async () => {
        const asked = await provider
          .authorizationUrl({ state, codeVerifier, nonce, scopes: [], loginHint: undefined })
          .catch(() => undefined)
        if (asked === undefined) return failed('It cannot be discovered as a sign-in needs it', 'See the log of the daemon')
        return probeAuthorization(outbound, asked, redirectUri)
      }),
      token === undefined
        ? undefined
        : timed('token', async () => {
            const credentials = await target.credentials().catch(() => undefined)
            if (credentials === undefined)
              return failed(
                'The client secret cannot be signed',
                `Compare social.${id}.privateKey, keyId and teamId with the values at the provider`,
              )
            // Both the code and its verifier are random.
            return probeToken(outbound, token, { credentials, redirectUri, id }, { code, code_verifier: random.token(43) })
          }),
    ])
    return [...steps, ...others.filter((step) => step !== undefined)]
  }

  /** Returns the steps of the test. Throws PROVIDER_NOT_FOUND. */
  const stepsOf = async (id: string): Promise<readonly Step[]> => {
    const [section, provider] = [config.providers[id], providers.get(id)]
    if (section === undefined || provider === undefined) throw socialErrors.error('PROVIDER_NOT_FOUND')
    return runSteps(id, section, provider)
  }
  /** Tests changed settings of an identity provider before the settings are stored. */
  const trials = [...providers.keys()].map(
    (id): Trial => ({
      ...{ kind: 'provider', subject: id, run: () => stepsOf(id) },
      touches: (key) => key.startsWith(`social.${id}.`),
    }),
  )
  /** Tests an identity provider and records the result as an event. Throws PROVIDER_NOT_FOUND. */
  const test = async (principal: Principal, id: string): Promise<Result> => {
    const steps = await stepsOf(id)
    const failedSteps = steps.filter(({ outcome }) => outcome === 'failed').map(({ step }) => step)
    const hasPassed = failedSteps.length === 0
    await transact((tx) =>
      events.record(tx, principal, socialEvents['provider.tested'], { subject: id, data: { hasPassed, failedSteps } }),
    )
    return { provider: id, testedAt: clock.now(), hasPassed, steps: [...steps] }
  }
  return { test, trials }
}
