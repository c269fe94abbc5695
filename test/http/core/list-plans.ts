/** Large numbers of rows for every administration list. */
import { expect, vi } from 'vitest'
import type { TestApp } from '../../support/app.ts'
import { snapshotOf } from '../../support/billing-state.ts'
import { dialect } from '../../support/database.ts'
import { fill, secondsIn2026 } from '../../support/plans.ts'

const many = 6_000
const yes = dialect === 'sqlite' ? '1' : 'true'
const no = dialect === 'sqlite' ? '0' : 'false'
/** True for one of a hundred rows. */
const seldom = '(n.n % 100 = 0)'
const times = { created_at: secondsIn2026, updated_at: secondsIn2026 }
const stamp = "'2026-01-01T00:00:00.' || substr(cast(1000000 + n.n as text), 2) || 'Z'"

/**
 * `u1` has many sessions and memberships, `o1` many members and invitations, `c1` many consents, `k1` many deliveries. The jobs are
 * stopped afterwards, because they would delete old rows.
 */
export const fillLists = async (t: TestApp): Promise<void> => {
  const put = (table: string, columns: Readonly<Record<string, string>>) => fill(t, table, many, columns)
  await t.app.jobs.stop()
  const former = t.app
  await put('setting_version', { version: 'n.n', changed_at: secondsIn2026, actor_kind: "'user'" })
  // The newest version of the settings has a current row, as in use. A node without one reads the settings again after every write to the
  // file.
  await put('setting_change', {
    ...{ id: "'c' || n.n", version: 'n.n', key: "'brand.key' || (n.n % 200)" },
    ...{ value: `case when n.n < ${many} then '1' end`, is_current: `n.n = ${many}` },
  })
  // A node on SQLite watches its file, and then builds the features again, with their jobs.
  if (dialect === 'sqlite') await vi.waitFor(() => expect(t.app).not.toBe(former), 60_000)
  await t.app.jobs.stop()
  await put('user', {
    ...{ id: "'u' || n.n", name: "'Many ' || n.n", email: "'u' || n.n || '@many.test'", email_version: '0', ...times },
    ...{ role: `case when n.n % 500 = 0 then 'auditor' else 'user' end`, email_ever_verified: no, email_verified: seldom },
    banned_at: `case when n.n % 400 = 0 then ${secondsIn2026} end`,
    second_factor_since: `case when n.n % 300 = 0 then ${secondsIn2026} end`,
    second_factor_due: `case when n.n % 50 = 0 then ${secondsIn2026} end`,
  })
  for (const term of ["'many'", "'u' || n.n || '@many.test'"]) await put('user_search', { user_id: "'u' || n.n", term })
  await put('user_search_text', { user_id: "'u' || n.n", text: "'  many  u' || n.n || '@many.test'" })
  await put('session', {
    ...{ id: "'s' || n.n", token_hash: "'h' || n.n", user_id: "'u1'", user_agent: "'x'", amr: "'[]'", acr: "'a'", ...times },
    ...{ proofs: "'[]'", remember_me: yes, ip_address: "'192.0.2.' || (n.n % 100)" },
    expires_at: dialect === 'sqlite' ? '4102444800000' : "timestamptz '2100-01-01'",
  })
  await put('sign_in_failure', {
    ...{ id: "'f' || n.n", occurred_at: secondsIn2026, last_at: secondsIn2026, attempts: '1', user_id: "'u1'" },
    ...{ method: "'password'", reason: "'wrong-password'", code: "'x'", detail: "'{}'", address: "'192.0.2.' || (n.n % 100)" },
    ...{ network: "'192.0.2.0'", user_agent: "''", request_id: "'r1'", client_id: "'c1'" },
  })
  await put('organization', { id: "'o' || n.n", name: "'Many ' || n.n", slug: "'o' || n.n", created_at: secondsIn2026 })
  for (const term of ["'many'", "'o' || n.n"]) await put('organization_search', { organization_id: "'o' || n.n", term })
  await put('organization_search_text', { organization_id: "'o' || n.n", text: "'  many  o' || n.n" })
  for (const [organization_id, user_id, kind] of [
    ["'o1'", "'u' || n.n", 'm'],
    ["'o' || (n.n + 1)", "'u1'", 'n'],
  ] as const) {
    const member = { organization_id, user_id, role: "'member'" }
    const rows = kind === 'm' ? many : many - 1
    await fill(t, 'member', rows, { id: `'${kind}' || n.n`, ...member, created_at: secondsIn2026 })
    await fill(t, 'member_role', rows, member)
  }
  await put('team', { id: "'team' || n.n", organization_id: "'o1'", name: "'Many'", created_at: secondsIn2026 })
  await put('team_member', {
    ...{ id: "'t' || n.n", organization_id: "'o1'", team_id: "'team1'", user_id: "'u' || n.n", created_at: secondsIn2026 },
  })
  await put('invitation', {
    ...{ id: "'i' || n.n", organization_id: "'o1'", email: "'i' || n.n || '@many.test'", role: "'member'" },
    ...{
      status: "case when n.n % 100 = 0 then 'accepted' when n.n % 100 = 1 then 'pending' else 'canceled' end",
      team_ids: "'[]'",
      by_operator: no,
      inviter_id: "'u1'",
    },
    ...{ expires_at: secondsIn2026, created_at: secondsIn2026 },
  })
  await put('oauth_client', {
    ...{ id: "'c' || n.n", client_id: "'c' || n.n", name: "'Many ' || n.n", name_key: "'many ' || n.n", scope: "''" },
    ...{ redirect_urls: "'[]'", post_logout_redirect_urls: "'[]'", web_origins: "'[]'", id_token_alg: "'RS256'" },
    ...{ type: "case when n.n % 100 < 2 then 'spa' else 'web' end", skip_consent: no, disabled: seldom, ...times },
  })
  await put('oauth_client_search_text', { oauth_client_id: "'c' || n.n", text: "'  many  ' || n.n" })
  await put('initial_access_token', {
    ...{
      id: "'i' || n.n",
      name: "'n'",
      token_hash: "'h' || n.n",
      hint: "'h'",
      types: "'[]'",
      max_clients: '1',
      used_clients: '0',
    },
    ...{ created_at: secondsIn2026, expires_at: secondsIn2026 },
  })
  await put('logout_notice', {
    ...{ id: "'l' || n.n", client_id: "'c' || (1 + n.n % 100)", user_id: "'u' || n.n", session_id: "'s' || n.n", cause: "'c'" },
    ...{ state: "'delivered'", attempts: '1', created_at: secondsIn2026, expires_at: secondsIn2026 },
  })
  await put('resource_server', {
    ...{ id: "'api_' || n.n", identifier: "'urn:x:' || n.n", identifier_key: "'urn:x:' || n.n", name: "'n'", scopes: "'[]'" },
    ...{ token_format: "'jwt'", signing_alg: "'RS256'", token_ttl_seconds: '600', access: "'listed'", ...times },
  })
  await put('oauth_consent', {
    ...{ id: "'g' || n.n", client_id: "'c1'", user_id: "'u' || n.n", scopes: "'openid'", consent_given: yes, ...times },
  })
  const task = { attempts: '1', due_at: secondsIn2026, created_at: secondsIn2026 }
  await put('task', {
    ...task,
    id: "'often' || n.n",
    kind: "'often'",
    status: "case when n.n % 20 = 0 then 'dead' else 'done' end",
  })
  await put('task', {
    ...{ ...task, id: "'mail' || n.n", kind: "'mail.send'", status: "case when n.n % 20 = 0 then 'dead' else 'done' end" },
    ...{ label: "'notice ' || (n.n % 100) || '@many.test'", details: `'{"to":"a@many.test","kind":"notice","requester":null}'` },
  })
  await put('event', {
    ...{ id: "'e' || n.n", type: "case when n.n % 100 = 0 then 'user.created' else 'session.started' end" },
    ...{ occurred_at: secondsIn2026, actor_kind: "case when n.n % 100 = 0 then 'system' else 'user' end", actor_id: "'u1'" },
    ...{ session_id: "'s1'", impersonator_id: "'u2'", subject_type: "'user'", subject_id: "'u1'", organization_id: "'o1'" },
    ...{
      address: "'192.0.2.' || (n.n % 100)",
      user_agent: "''",
      request_id: "'r1'",
      data: "'{}'",
      reason: "case when n.n % 50 = 0 then 'Ticket 1' end",
    },
    ...{ position: '1000000000000 + n.n', hash: "''" },
  })
  await put('event_export', {
    ...{
      id: "'x' || n.n",
      owner: "'user:u' || (n.n % 100)",
      format: "'csv'",
      filters: "'{}'",
      status: "'made'",
      until: secondsIn2026,
    },
    ...{ chunks: '0', events: '0', bytes: '0', created_at: secondsIn2026 },
    expires_at: dialect === 'sqlite' ? '4102444800000' : "timestamptz '2100-01-01'",
  })
  const key = { name: "'n'", permissions: "'[]'", allowed_networks: "'[]'", enabled: yes, ...times }
  await put('api_key', { ...key, id: "'u' || n.n", owner_kind: "'user'", user_id: "'u1'" })
  await put('api_key', { ...key, id: "'i' || n.n", owner_kind: "'instance'" })
  await put('api_key_search_text', { api_key_id: "'i' || n.n", text: "'  many  ' || n.n" })
  await put('backup', {
    id: "'b' || n.n",
    status: "case when n.n % 50 = 0 then 'failed' else 'deleted' end",
    reason: "'schedule'",
    started_at: secondsIn2026,
  })
  await put('billing_delivery', {
    ...{ id: "'d' || n.n", endpoint: "'polar'", webhook_id: "'w' || n.n", headers: "'{}'", body_sha256: "''", issues: "'[]'" },
    ...{ event_type: "case when n.n % 100 = 0 then 'order.refunded' else 'order.paid' end", event_at: stamp, attempts: '1' },
    ...{ customer_id: "'k' || (n.n % 4)", received_at: secondsIn2026, outcome: "'applied'" },
    status: "case when n.n % 50 = 0 then 'quarantined' else 'accepted' end",
    body: dialect === 'sqlite' ? "cast('{}' as blob)" : "'{}'::bytea",
  })
  await put('billing_customer', {
    ...{ id: "'k' || n.n", email: "'k' || (n.n % 4) || '@many.test'", external_id: "'x' || (n.n % 4)", is_deleted: no },
    ...{
      payment_status: "case when n.n % 3 = 0 then 'active' else 'past_due' end",
      recurring_currency: "'eur'",
      recurring_yearly: '1200',
    },
    ...{ snapshot: `'${snapshotOf('k')}'`, renewal_due_at: stamp, created_at: stamp, version: "''", delivery_id: "'d1'" },
    search_text: "'  many  k' || n.n || '@many.test'",
    data: `'{"name":"Many","deleted_at":null}'`,
  })
  if (dialect === 'postgres') await t.app.core.db.knex.raw('analyze billing_customer_search_text')
  await fill(t, 'billing_link', many - 100, {
    ...{ customer_id: "'k' || n.n", user_id: "'u1'", linked_by: "'operator'", linked_at: secondsIn2026 },
  })
}
