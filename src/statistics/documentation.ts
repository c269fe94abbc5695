const days = ['2026-11-21', '2026-11-22', '2026-11-23']

/** What the API document says besides the contract. */
export const statisticsDocumentation = {
  statistics: {
    description:
      'Days are those of UTC; the last one is the unfinished day where it is today. Sign-ins, sign-ups and given-up mails are counted from the events, ' +
      'each once; everything else is noted by each node and written within a minute. A person is active who signs in, uses a session or gets a token. ' +
      'Nobody is counted twice in one period, and who is deleted stays in the numbers of the past. Of each measure the twelve largest keys are named.',
    example: {
      response: {
        ...{ from: days[0], to: days[2], days },
        series: [
          { measure: 'signIns', key: 'password', values: [40, 12, 55], total: 107 },
          { measure: 'failedSignIns', key: 'wrong-password', values: [3, 0, 4], total: 7 },
        ],
        activePeople: {
          byDay: days.map((day, index) => ({ from: day, to: day, people: [31, 9, 44][index] })),
          byWeek: [
            { from: '2026-11-16', to: '2026-11-22', people: 62 },
            { from: '2026-11-23', to: '2026-11-29', people: 44 },
          ],
          byMonth: [{ from: '2026-11-01', to: '2026-11-30', people: 118 }],
        },
        eventsBehind: 0,
      },
    },
  },
}
