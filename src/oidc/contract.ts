import { z } from 'zod'
import { errorsOf } from '../core/errors.ts'
import { organizationName, plainText } from '../core/wire.ts'
import { contract, redirect } from '../http/contract.ts'

/** The client id of `gatehouse login`. */
export const commandLineId = 'gatehouse-cli'

/** An organization in which the person who signs in is a member. */
const OwnOrganization = z.object({ id: z.string(), slug: z.string(), name: z.string(), logo: z.string().nullable() })

/**
 * The trust in an application. `registered`: an administrator has registered or approved it. `self-registered`: a signed-in person or a
 * token has registered it. `unknown`: its registrant is unknown.
 */
export const standings = ['registered', 'self-registered', 'unknown'] as const

/** The data of an interaction that the hosted pages for sign-in and consent show. */
export const Interaction = z.object({
  uid: z.string(),
  /**
   * The action that the person has to take. `login`: sign in. `create`: sign up or sign in. `select_account`: choose the signed-in
   * account or another one. `select_organization`: choose the organization of the sign-in. `step_up`: give a further proof. `consent`:
   * agree to the scopes.
   */
  prompt: z.enum(['login', 'create', 'select_account', 'select_organization', 'step_up', 'consent']),
  /** The URL of the page on which the person can sign in to any account for this interaction. */
  signInPage: z.string(),
  client: z.object({
    clientId: z.string(),
    name: z.string(),
    /** The URL of the logo on this server; null if the application has no logo. */
    logo: z.string().nullable(),
    /**
     * The host of the redirect URI, so that the person can recognize the application. For a native application it is the URI's scheme
     * with its colon. For a device it is empty.
     */
    redirectHost: z.string(),
    /** The web page of the application; null if there is none. It is an https URL, or an http URL of the person's own machine. */
    uri: z.string().nullable(),
    policyUri: z.string().nullable(),
    tosUri: z.string().nullable(),
    /** The trust in the application. The values are described at `standings`. */
    standing: z.enum(standings),
  }),
  /** All requested scopes. `newScopes` lists the requested scopes to which the person has not agreed yet. */
  scopes: z.array(z.string()),
  newScopes: z.array(z.string()),
  /** The APIs that the application wants to call for the person, with the requested scopes of each API. */
  apis: z.array(
    z.object({
      identifier: z.string(),
      name: z.string(),
      /**
       * `isNew` is true for a scope to which the person has not agreed yet. The description is in the language of the page if the API has
       * one in that language.
       */
      scopes: z.array(z.object({ name: z.string(), description: z.string(), isNew: z.boolean() })),
    }),
  ),
  /**
   * The organization for which the application will act; null if it acts for none. If the person can choose, this organization is
   * preselected.
   */
  organization: OwnOrganization.nullable(),
  /**
   * The organizations from which the person can choose in this prompt. The person can also choose to use none. The list is empty if the
   * prompt offers no choice.
   */
  organizations: z.array(OwnOrganization),
  /** True if the application wants the person to choose an organization and the person has not chosen yet. */
  needsOrganizationChoice: z.boolean(),
  /**
   * For the prompt `step_up`: the required authentication class, and the methods with which this person can reach it. Without such a
   * method the person has to add a second factor first. Null for all other prompts.
   */
  stepUp: z.object({ acr: z.string(), methods: z.array(z.string()) }).nullable(),
  /** The mail address that the page fills in (`login_hint`); null if the request has no hint. */
  loginHint: z.string().nullable(),
  /** The user who is signed in in this browser; null if nobody is. */
  user: z.object({ name: z.string(), email: z.string() }).nullable(),
})

const returnProblems = ['unidentified', 'unregistered', 'invalidHint'] as const
/**
 * The reason why the browser cannot return to the application after a sign-out. `unidentified`: the request names no application.
 * `unregistered`: the requested URI is not registered. `invalidHint`: the ID token in the request is not valid.
 */
export type ReturnProblem = (typeof returnProblems)[number]

/** The data of the page that asks the person to confirm a sign-out. */
export const SignOutQuestion = z.object({
  /** The name of the application; null if the request names none. */
  client: z.string().nullable(),
  /** The reason why the browser will not return to the application after the sign-out; null if it may return. */
  returnProblem: z.enum(returnProblems).nullable(),
})
/** The largest length of the sealed token. It leaves room for two URLs of an application. */
const questionToken = plainText(12_000)

export const oidcContract = contract('Applications', {
  interaction: {
    method: 'GET',
    path: '/interaction/:uid/details',
    summary: 'Get the details of a sign-in for its page; only in the browser that started it',
    access: 'public',
    params: z.object({ uid: plainText(64) }),
    response: Interaction,
    errors: ['INTERACTION_NOT_FOUND'],
    ownPages: true,
    configuredPages: true,
  },
  resume: {
    method: 'GET',
    path: '/interaction/:uid',
    changes: true,
    summary: 'Get the address at which the browser goes on after a sign-in',
    access: 'public',
    params: z.object({ uid: plainText(64) }),
    response: redirect,
    errors: [],
    ownPages: true,
  },
  consent: {
    method: 'POST',
    path: '/oauth2/consent',
    summary: 'Agree to the request of the application, or deny it',
    access: { permission: 'consents:update' },
    body: z.object({
      accept: z.boolean(),
      interaction: plainText(64).optional(),
      /**
       * The organization that the person has chosen from the `organizations` of the interaction; null for none. If the field is absent,
       * the interaction's `organization` stays chosen.
       */
      organizationId: organizationName.nullable().optional(),
    }),
    response: z.object({ redirectURI: z.string() }),
    errors: ['NO_CONSENT_PROMPT_FOUND', 'ORGANIZATION_CANNOT_BE_CHOSEN'],
    startsSession: true,
    ownPages: true,
    configuredPages: true,
  },
  selectAccount: {
    method: 'POST',
    path: '/oauth2/select-account',
    summary: 'Continue with the account that is signed in',
    access: { permission: 'consents:update' },
    body: z.object({ interaction: plainText(64) }),
    response: z.object({ redirectURI: z.string() }),
    errors: ['INTERACTION_NOT_FOUND'],
    startsSession: true,
    ownPages: true,
  },
  chooseOrganization: {
    method: 'POST',
    path: '/oauth2/choose-organization',
    summary: 'Choose the organization of the sign-in, or none',
    access: { permission: 'consents:update' },
    body: z.object({ organizationId: organizationName.nullable(), interaction: plainText(64).optional() }),
    response: z.object({ redirectURI: z.string() }),
    errors: ['INTERACTION_NOT_FOUND', 'ORGANIZATION_CANNOT_BE_CHOSEN'],
    startsSession: true,
    ownPages: true,
  },
  declineStepUp: {
    method: 'POST',
    path: '/oauth2/decline-step-up',
    summary:
      'Decline the further proof; the sign-in continues without it, or fails with unmet_authentication_requirements if the application requires it',
    access: { permission: 'consents:update' },
    body: z.object({ interaction: plainText(64) }),
    response: z.object({ redirectURI: z.string() }),
    errors: ['INTERACTION_NOT_FOUND'],
    startsSession: true,
    ownPages: true,
  },
  cancelSignIn: {
    method: 'POST',
    path: '/oauth2/cancel',
    summary: 'Cancel the sign-in to an application, with or without a session; the application gets access_denied',
    access: 'public',
    body: z.object({ interaction: plainText(64) }),
    response: z.object({ redirectURI: z.string() }),
    errors: ['INTERACTION_NOT_FOUND'],
    startsSession: true,
    ownPages: true,
  },
  signOutQuestion: {
    method: 'GET',
    path: '/oauth2/end-session/question',
    summary: 'Get the details for the page that confirms a sign-out; only in the session that would end',
    access: 'public',
    query: z.object({ question: questionToken }),
    response: SignOutQuestion,
    errors: ['INTERACTION_NOT_FOUND'],
  },
  confirmSignOut: {
    method: 'POST',
    path: '/oauth2/end-session/confirm',
    summary: 'End the session at the request of an application; the browser goes on at `redirectURI`',
    access: 'public',
    body: z.object({ question: questionToken }),
    response: z.object({ redirectURI: z.string() }),
    errors: ['INTERACTION_NOT_FOUND'],
  },
  client: {
    method: 'GET',
    path: '/oauth2/client/:id',
    summary: 'Get the public details of a client',
    access: { permission: 'consents:update' },
    params: z.object({ id: plainText(255) }),
    response: z.object({ clientId: z.string(), name: z.string(), icon: z.string().nullable() }),
    errors: ['CLIENT_NOT_FOUND'],
  },
})

export const oidcErrors = errorsOf({
  INTERACTION_NOT_FOUND: [404, 'Interaction not found'],
  ORGANIZATION_CANNOT_BE_CHOSEN: [400, 'Organization cannot be chosen'],
  NO_CONSENT_PROMPT_FOUND: [401, 'No consent prompt found', 'invalid_request'],
  DEVICE_CODE_NOT_FOUND: [404, 'Device code not found'],
  TOO_MANY_DEVICE_CODES: [429, 'Too many device codes'],
  CLIENT_NOT_FOUND: [404, 'client not found', 'not_found'],
  INVALID_REDIRECT_URI: [400, 'Invalid redirect URI'],
  REDIRECT_URI_IS_REQUIRED: [400, 'Redirect URI is required'],
  INVALID_SCOPE: [400, 'Invalid scope'],
  INVALID_CLIENT_METADATA: [400, 'Invalid client metadata'],
  YOU_CANNOT_GIVE_PERMISSIONS_THAT_YOU_DO_NOT_HAVE: [403, 'You cannot give permissions that you do not have'],
  APPLICATION_NOT_FOUND: [404, 'Application not found'],
  SIGN_IN_CANNOT_BE_TESTED: [409, 'Sign in cannot be tested'],
  TEST_SIGN_IN_NOT_FOUND: [404, 'Test sign in not found'],
  CONSENT_NOT_FOUND: [404, 'Consent not found'],
  INITIAL_ACCESS_TOKEN_NOT_FOUND: [404, 'Initial access token not found'],
  CLIENT_ID_IS_TAKEN: [409, 'Client id is taken'],
  CLIENT_HAS_NO_SECRET: [400, 'Client has no secret'],
  CLIENT_SECRET_IS_TOO_WEAK: [400, 'Client secret is too weak'],
  SECRET_NOT_FOUND: [404, 'Secret not found'],
  SECRET_ROTATION_IS_UNDER_WAY: [409, 'Secret rotation is under way'],
  KEY_ROTATION_IS_UNDER_WAY: [409, 'Key rotation is under way'],
})

/**
 * Descriptions and examples for the API document. They are kept outside of the contract, because pages load the contract and do not need
 * them.
 */
export const applicationDocumentation = {
  consent: {
    description:
      'For a consent page of your own (`oidc.consentPage`). `interaction` is the parameter with this name in the address of the page. The browser goes on at `redirectURI` in either case.',
    example: {
      body: { accept: true, interaction: 'Vt3kQ0xZ8nLw2sYc' },
      response: { redirectURI: 'https://id.example.com/oauth2/authorize/Vt3kQ0xZ8nLw2sYc' },
    },
  },
}
