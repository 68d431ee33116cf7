import manifest from '../package.json' with { type: 'json' }

// Asked for by scripts and by people who wonder what they have: answered before anything else is loaded.
const [word, ...others] = process.argv.slice(2)
if (others.length === 0 && (word === '--version' || word === '-V')) console.log(manifest.version)
else await import('./main.ts')
