const sent = {
  ...{ client_name: 'Shop', 'client_name#de': 'Laden', redirect_uris: ['https://shop.example.com/callback'] },
  ...{ client_uri: 'https://shop.example.com/', contacts: ['it@example.com'] },
}
const kept = {
  ...{ client_id: 'x8TgPp2dLw6sRt3YbKd0ZnHf1JmUe9Ai', client_id_issued_at: 1_795_424_400, ...sent },
  ...{ scope: 'openid profile email offline_access', id_token_signed_response_alg: 'RS256', require_auth_time: false },
  ...{ token_endpoint_auth_method: 'client_secret_basic', grant_types: ['authorization_code'], response_types: ['code'] },
  ...{ application_type: 'web', subject_type: 'public' },
  registration_client_uri: 'https://id.example.com/oauth2/register/x8TgPp2dLw6sRt3YbKd0ZnHf1JmUe9Ai',
}

/** What the API document says besides the contract. */
export const registrationDocumentation = {
  registerClient: {
    description:
      'Who may is in docs/how-to/registration.md: people with a session, API keys with `clients:create`, initial access tokens as Bearer token, and strangers where `oidc.registration` is `open`. Metadata that no standard or nobody here knows is left out of the response; what only administrators decide, such as `skip_consent`, is refused.',
    example: {
      body: sent,
      response: {
        ...kept,
        registration_access_token: 'r4Xw2eYB6m1vKQhT8sZcJ0dRfUaLgNiO',
        ...{ client_secret: 'q7ZrB1m0pXw2eYv6KQhT8sZcJ4dRfUaL', client_secret_expires_at: 0 as const },
      },
    },
  },
  readClient: { example: { response: { ...kept, registration_access_token: 'r4Xw2eYB6m1vKQhT8sZcJ0dRfUaLgNiO' } } },
  replaceClient: {
    description:
      'The body is all of the metadata: what is absent is as if it had never been registered. `client_id` is in it; `client_secret` may be, and is then that of the client. The token of the request ends with it, the one of the response counts. An administrator who had approved the client is asked anew.',
    example: {
      body: { client_id: kept.client_id, ...sent },
      response: { ...kept, registration_access_token: 'n9Pw2eYB6m1vKQhT8sZcJ0dRfUaLgNiO' },
    },
  },
  removeClient: {},
}
