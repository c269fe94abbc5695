/** Libraries that command-line programs use for the device flow (RFC 8628). */
import * as oauth from 'oauth4webapi'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { goOn, register } from '../http/oidc/flow.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { insteadOfWaits } from '../support/time.ts'

let t: TestApp
let clientId: string
beforeAll(async () => {
  t = await testApp({ config: { oidc: { rsaModulusLength: 2048 } } })
  clientId = (await register(t, { name: 'Program', type: 'native', redirectUris: [], deviceFlow: true })).clientId
})
afterAll(() => t.stop())

/** A person who opens the address that the program prints. */
const letIn = async (email: string, address: string, answer: 'confirm' | 'refuse' = 'confirm') => {
  const browser = await t.signedIn(email)
  const userCode = new URL(address).searchParams.get('user_code') ?? ''
  const { json } = await browser.post(`/oauth2/device/${answer}`, { userCode })
  if (answer === 'confirm') await goOn(browser, await browser.request(String(json['redirectURI'])))
}

test('openid-client gets a device code, polls at the pace of the server, gets verified tokens and refreshes them', async () => {
  const config = await oidc.discovery(new URL(t.url), clientId, undefined, oidc.None(), { execute: [oidc.allowInsecureRequests] })
  oidc.enableNonRepudiationChecks(config)
  const asked = await oidc.initiateDeviceAuthorization(config, { scope: 'openid email offline_access' })
  const { result: tokens, waits } = await insteadOfWaits(
    '/openid-client/',
    () => letIn('ann@example.com', asked.verification_uri_complete ?? ''),
    () => oidc.pollDeviceAuthorizationGrant(config, asked),
  )
  expect(waits).toEqual([asked.interval])
  expect(tokens.claims()).toMatchObject({ iss: t.url, aud: clientId })
  const renewed = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')
  expect(await oidc.fetchUserInfo(config, renewed.access_token, tokens.claims()?.sub ?? '')).toMatchObject({
    email: 'ann@example.com',
  })
})

test('oauth4webapi understands that a device has to wait, polls too fast, or is refused', async () => {
  const insecure = { [oauth.allowInsecureRequests]: true }
  const issuer = new URL(t.url)
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure))
  const client = { client_id: clientId }
  const asked = await oauth.processDeviceAuthorizationResponse(
    server,
    client,
    await oauth.deviceAuthorizationRequest(server, client, oauth.None(), { scope: 'openid' }, insecure),
  )
  const poll = async () =>
    oauth.processDeviceCodeResponse(
      server,
      client,
      await oauth.deviceCodeGrantRequest(server, client, oauth.None(), asked.device_code, insecure),
    )
  await expect(poll()).rejects.toMatchObject({ error: 'authorization_pending' })
  await expect(poll()).rejects.toMatchObject({ error: 'slow_down' })
  await letIn('ben@example.com', asked.verification_uri_complete ?? '', 'refuse')
  await expect(poll()).rejects.toMatchObject({ error: 'access_denied' })
})
