import { type Browser, cookieHeader, createBrowser, requestText } from '../load/browser.ts'
import type { Actor } from '../load/load.ts'
import { password, type Target } from '../targets/targets.ts'
import { both, type Contest, check, type Prepare } from './contest.ts'

export const emailOf = (index: number) => `user${index}@example.com`

/** Signs a virtual user in. The first time, it signs up before. */
export const signIn = async (target: Target, index: number): Promise<Browser> => {
  const browser = createBrowser(target.origin)
  const email = emailOf(index)
  const first = await browser.postJson('/sign-in/email', { email, password })
  if (first.status === 200) return browser
  const created = await browser.postJson('/sign-up/email', { name: `User ${index}`, email, password })
  check(created.status === 200, created)
  const again = await browser.postJson('/sign-in/email', { email, password })
  check(again.status === 200, again)
  return browser
}

const withSession: Prepare = async (target, index) => {
  const browser = await signIn(target, index)
  const request = requestText('GET', target.origin, '/get-session', cookieHeader(browser.cookies))
  const email = `"email":"${emailOf(index)}"`
  return {
    act: async () => {
      const answer = await browser.send(request)
      check(answer.status === 200 && answer.body.includes(email), answer)
    },
    close: browser.close,
  }
}

const withoutSession: Prepare = async (target) => {
  const browser = createBrowser(target.origin)
  const request = requestText('GET', target.origin, '/get-session')
  return {
    act: async () => {
      const answer = await browser.send(request)
      check(answer.status === 200 && answer.body === 'null', answer)
    },
    close: browser.close,
  }
}

/** Signs in repeatedly, each time as a browser without a session. */
export const signingIn: Prepare = async (target, index) => {
  const browser = await signIn(target, index)
  const headers = { Origin: target.origin, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ email: emailOf(index), password })
  const request = requestText('POST', target.origin, '/sign-in/email', headers, body)
  const email = `"email":"${emailOf(index)}"`
  return {
    act: async () => {
      const answer = await browser.send(request)
      check(answer.status === 200 && answer.body.includes(email) && answer.head.includes('gatehouse.session='), answer)
    },
    close: browser.close,
  }
}

const hashing: Prepare = async (target): Promise<Actor> => {
  const browser = createBrowser(target.origin)
  const request = requestText('GET', target.origin, '/argon2')
  return {
    act: async () => {
      const answer = await browser.send(request)
      check(answer.body === '{"matches":true}', answer)
    },
    close: browser.close,
  }
}

export const sessionContests: readonly Contest[] = [
  {
    name: 'get-session, valid',
    prepare: withSession,
    rivals: [{ label: 'floor', target: 'floor', goal: { sqlite: 1, postgres: 0.6 } }],
  },
  {
    name: 'get-session, no cookie',
    prepare: withoutSession,
    rivals: [{ label: 'floor', target: 'floor', goal: both(0.4) }],
  },
  {
    name: 'sign-in',
    prepare: signingIn,
    rivals: [
      { label: 'floor', target: 'floor' },
      { label: 'Argon2 alone', target: 'floor', goal: { sqlite: 0.95, postgres: 0.93 }, prepare: hashing },
    ],
  },
]
