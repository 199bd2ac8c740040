#!/usr/bin/env python3
"""Who may use `cadre serve`: keys, tokens that jose made, tenants, the audit, and what a stranger gets to see."""
import hashlib
import http.server
import json
import os
import pathlib
import stat
import subprocess
import threading
import time
import unittest

from home import ASK, NOT_FOUND, ROOT, SUM
from serve import Serve

NODE = os.environ.get("CADRE_NODE", str(ROOT / "tests/node/node_modules/.bin/node"))
MAKER = ROOT / "tests/node/jwt_maker.mjs"
ISSUER, AUDIENCE, SECRET = "https://id.example", "cadre", "a secret of more than thirty-two bytes"
JWT = {"issuer": ISSUER, "audience": AUDIENCE, "roles": {"staff": "user", "boss": "admin", "eyes": "viewer"}}


def made(tokens):
    """What jose makes of these: the keys, and a token for each."""
    done = subprocess.run([NODE, MAKER], input=json.dumps({"secret": SECRET, "tokens": tokens}), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    return answer["jwks"], answer["tokens"]


def claims(**more):
    now = int(time.time())
    return {"iss": ISSUER, "aud": AUDIENCE, "sub": "ann", "iat": now, "exp": now + 600, "roles": ["staff"], **more}


class Access(Serve):
    def serve_with(self, server, entries=SUM, **options):
        """The server with these settings."""
        model = self.script(entries)
        self.write("cadre.yaml", json.dumps({"version": "1.0.0", "model": model, "team": "desk", "server": server}))
        self.write("teams/desk.json", self.TEAM)
        return self.serve(None, **options)

    def key(self, subject, *roles, **more):
        answer = self.post("/keys", {"subject": subject, "roles": list(roles), **more})
        self.assertEqual(answer.status, 201, answer.text)
        return answer.json["key"]

    def who(self, token, **options):
        return self.get("/whoami", token=token, **options)


class Keys(Access):
    def test_a_key_from_its_making_to_its_end(self):
        process = self.serve(SUM)
        key = self.key("ann", "user")
        self.assertEqual(self.who(key).json, {"subject": "ann", "tenant": "local", "roles": ["user"], "scopes": []})
        task = self.post("/tasks", {"description": "2+3?", "start": True}, token=key)
        self.assertEqual(task.status, 201, task.text)
        self.assertEqual(self.at_rest(task.json["id"])["ext"]["created_by"], "ann")
        process.kill()
        process.wait()
        self.serve()
        self.assertEqual(self.who(key).status, 200)
        listed = self.get("/keys")
        self.assertEqual([one["subject"] for one in listed.json["keys"]], ["ann"])
        self.assertNotIn(key.split("_")[2].encode(), listed.text)
        self.assertEqual(self.ask("DELETE", f"/keys/{listed.json['keys'][0]['id']}").status, 200)
        self.assertEqual(self.who(key).status, 401)

    def test_the_token_of_the_admin_is_shown_again(self):
        self.assertEqual(self.cadre("token").returncode, NOT_FOUND)
        self.serve(SUM)
        self.assertEqual(self.succeeds("token").strip(), self.token)
        self.assertEqual(json.loads(self.succeeds("token", "--json"))["token"], self.token)

    # case 30 of the server
    def test_no_secret_is_found_in_the_home(self):
        """A canary for each secret, then every file and answer is searched."""
        process = self.serve(SUM)
        key = self.key("ann", "admin")
        self.post("/keys", {"subject": "bob", "roles": ["user"]}, headers={"Idempotency-Key": "k"}, token=key)
        self.who(key)
        self.get("/version", token="Bearer-of-a-canary-0123456789")
        self.stop(process)
        found = [file for file in pathlib.Path(self.env["CADRE_HOME"]).rglob("*") if file.is_file() and file.name != "token"
                 and any(canary in file.read_bytes() for canary in (key.encode(), key.split("_")[2].encode(), b"canary-0123456789"))]
        self.assertEqual(found, [])

    # case 25 of the server
    def test_credentials_in_the_wrong_place(self):
        self.serve(SUM)
        for headers in ({"Authorization": f"Basic {self.token}"}, {"Authorization": self.token}, {"X-API-Key": self.token}, {"Cookie": f"token={self.token}"}):
            self.assertEqual(self.get("/whoami", token=None, headers=headers).status, 401, headers)
        in_url = self.get(f"/whoami?token={self.token}", token=None)
        self.assertEqual((in_url.status, in_url.json["reason"]), (400, "token_in_url"))
        refused = self.get("/whoami", token=None)
        self.assertEqual((refused.status, refused.headers["WWW-Authenticate"]), (401, "Bearer"))

    def test_bodies_that_are_not_what_they_seem(self):
        self.serve(SUM)
        deep = "[" * 100 + "]" * 100
        for raw, status in (('{"subject":"a","subject":"b","roles":["user"]}', 400), ('{"subject":"a","roles":' + deep + "}", 413),
                            ('{"subject":"\\ud800","roles":["user"]}', 400), ('{"subject":"a","roles":["user"],"role":"x"}', 422),
                            ('{"subject":1e999,"roles":["user"]}', 400), ('{"subject":"a\\u0000","roles":["user"]}', 422), ("[]", 422), ("{", 400)):
            answer = self.ask("POST", "/keys", raw=raw, headers={"Content-Type": "application/json"})
            self.assertEqual(answer.status, status, (raw[:60], answer.text))
        self.assertEqual(self.ask("POST", "/keys", raw="{}", headers={"Content-Type": "text/plain"}).status, 415)
        self.assertEqual(self.get("/keys").json["keys"], [])


class Tokens(Access):
    def test_every_algorithm(self):
        kinds = [("EdDSA", "ed"), ("ES256", "ec"), ("RS256", "rsa")]
        jwks, tokens = made([{"alg": alg, "kid": kid, "claims": claims()} for alg, kid in kinds])
        self.write("keys.json", jwks)
        self.serve_with({"jwt": {**JWT, "jwks_file": str(self.folder / "keys.json")}})
        for token in tokens:
            self.assertEqual(self.who(token).json, {"subject": "ann", "tenant": "local", "roles": ["user"], "scopes": []})
        self.assertEqual(self.who(self.token).status, 200)

    def test_a_secret_comes_from_the_environment_alone(self):
        _, (good, none, other) = made([{"alg": "HS256", "claims": claims()}, {"alg": "none", "claims": claims()},
                                       {"alg": "EdDSA", "kid": "ed", "claims": claims()}])
        self.serve_with({"jwt": JWT}, env={"CADRE_JWT_SECRET": SECRET})
        self.assertEqual([self.who(token).status for token in (good, none, other)], [200, 401, 401])

    # case 24 of the server
    def test_tokens_that_are_not_good(self):  # PROD-01 A
        now = int(time.time())
        bad = {"another issuer": {"claims": claims(iss="https://evil.example")}, "for somebody else": {"claims": claims(aud="shop")},
               "over": {"claims": claims(iat=now - 700, exp=now - 100)}, "not yet": {"claims": claims(nbf=now + 300)},
               "for a year": {"claims": claims(exp=now + 31_536_000)}, "nobody's": {"claims": claims(sub="")},
               "critical": {"claims": claims(), "header": {"typ": "dpop+jwt"}},
               "unknown key": {"claims": claims(), "kid": "stranger"}}
        wanted = [{"alg": "EdDSA", "kid": "ed", **one} for one in bad.values()] + [{"alg": "EdDSA", "kid": "ed", "claims": claims()}]
        jwks, tokens = made(wanted)
        jwks["keys"] = [key for key in jwks["keys"] if key["kid"] == "ed"]
        self.write("keys.json", jwks)
        self.serve_with({"jwt": {**JWT, "jwks_file": str(self.folder / "keys.json")}, "rates": {"sign_in": {"requests": 1000, "seconds": 1}}})
        for name, token in zip(bad, tokens):
            answer = self.who(token)
            self.assertEqual((answer.status, answer.json["detail"]), (401, "the token is not valid"), name)
        self.assertEqual(self.who(tokens[-1]).status, 200)
        head, body, sign = tokens[-1].split(".")
        self.assertEqual(self.who(".".join((head, body[:-2] + ("A" if body[-2] != "A" else "B") + body[-1], sign))).status, 401, "forged")
        self.assertEqual(self.who(None).status, 401, "none")

    def test_roles_and_tenants_come_from_claims(self):
        jwks, (acme, globex, none, nowhere, boss) = made([
            {"alg": "EdDSA", "kid": "ed", "claims": claims(org="acme")}, {"alg": "EdDSA", "kid": "ed", "claims": claims(org="globex", sub="bob")},
            {"alg": "EdDSA", "kid": "ed", "claims": claims(org="acme", roles=["king"])}, {"alg": "EdDSA", "kid": "ed", "claims": claims()},
            {"alg": "EdDSA", "kid": "ed", "claims": claims(org="acme", sub="carl", roles=["boss"])}])
        self.write("keys.json", jwks)
        self.serve_with({"jwt": {**JWT, "jwks_file": str(self.folder / "keys.json"), "tenant_claim": "org"}})
        task = self.post("/tasks", {"description": "2+3?"}, token=acme).json["id"]
        self.assertEqual(self.get(f"/tasks/{task}", token=acme).status, 200)
        self.assertEqual(self.get(f"/tasks/{task}", token=globex).status, 404)
        self.assertEqual(self.get(f"/tasks/{task}", token=none).status, 403)
        self.assertEqual(self.get(f"/tasks/{task}", token=nowhere).status, 401)
        self.assertEqual(self.get(f"/tasks/{task}", token=boss).status, 200)
        self.assertEqual(self.get("/keys", token=boss).status, 200)
        self.assertEqual(self.get("/metrics", token=boss).status, 403)  # the home is not the tenant's

    def test_keys_that_are_fetched_and_rotate(self):
        jwks, (first, second) = made([{"alg": "ES256", "kid": "one", "claims": claims()}, {"alg": "ES256", "kid": "two", "claims": claims()}])
        issuer = Issuer({"keys": [key for key in jwks["keys"] if key["kid"] == "one"]})
        self.addCleanup(issuer.server_close)
        self.serve_with({"jwt": {**JWT, "jwks_url": issuer.url}})
        self.assertEqual((self.who(first).status, self.who(first).status, issuer.asked), (200, 200, 1))
        issuer.keys = jwks
        for _ in range(20):  # a key that is not known is looked for once a minute, however often it is named
            self.who(second)
        self.assertEqual(issuer.asked, 1)
        self.assertEqual(self.get("/health").json["status"], "healthy")

    def test_an_issuer_that_is_down(self):  # PROD-05 A
        _, (token,) = made([{"alg": "EdDSA", "kid": "ed", "claims": claims()}])
        issuer = Issuer(None)
        self.addCleanup(issuer.server_close)
        self.serve_with({"jwt": {**JWT, "jwks_url": issuer.url}})
        self.assertEqual(self.who(token).status, 503)
        self.assertEqual(self.who(self.token).status, 200)  # keys of ours do not depend on it
        health = self.get("/health").json
        self.assertEqual((health["status"], health["checks"][-1]["component"]), ("degraded", "tokens"))

    def test_settings_that_are_wrong(self):
        self.write("cadre.yaml", json.dumps({"version": "1.0.0", "server": {
            "jwt": {"issuer": ISSUER, "jwks_url": "http://id.example/keys", "roles": {"boss": "king"}}, "rates": {"fly": {"requests": 1, "seconds": 1}}}}))
        refused = self.cadre("serve", "--listen", "127.0.0.1:0")
        self.assertEqual(refused.returncode, 2)
        for words in ("server.jwt.audience", "must be https", "server.jwt.roles.boss", "server.rates.fly"):
            self.assertIn(words, refused.stderr)


class Issuer(http.server.ThreadingHTTPServer):
    """Publishes keys; None: answers with an error."""
    daemon_threads = True

    def __init__(self, keys):
        super().__init__(("127.0.0.1", 0), Door)
        self.keys, self.asked = keys, 0
        self.url = f"http://127.0.0.1:{self.server_address[1]}/keys"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Door(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self.server.asked += 1
        body = json.dumps(self.server.keys).encode()
        self.send_response(200 if self.server.keys else 500)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Audit(Access):
    # TRACE-44 E
    def test_who_did_what_is_kept_in_a_chain(self):
        process = self.serve_with({"rates": {"admin": {"requests": 100, "seconds": 1}}}, ASK)
        user = self.key("ann", "user")
        task = self.post("/tasks", {"description": "Go.", "start": True}, token=user).json["id"]
        request = self.at_rest(task)["ext"]["questions"][0]["request_id"]
        answer = self.post(f"/tasks/{task}/hitl/{request}/respond", {"response_type": "approved", "message": "blue"}, token=user)
        self.assertEqual(answer.status, 200, answer.text)
        process.kill()  # what was answered is on disk
        process.wait()
        self.serve()
        for _ in range(15):
            self.assertEqual(self.get("/keys", token=user).status, 403)
        seen = self.get("/audit?subject=ann").json["entries"]
        self.assertEqual([(one["kind"], one["verb"]) for one in seen], [("act", "respond")] + [("denied", "list_keys")] * 10)
        files = list((pathlib.Path(self.env["CADRE_HOME"]) / "audit" / "local").iterdir())
        self.assertEqual([stat.S_IMODE(file.stat().st_mode) for file in files], [0o600])
        lines = files[0].read_bytes().split(b"\n")[:-1]
        before = "0" * 64
        for line in lines:
            self.assertEqual(json.loads(line)["before"], before)
            before = hashlib.sha256(line).hexdigest()
        self.assertNotIn(b"blue", b"".join(lines))

    def test_guesses_are_counted_by_address(self):
        self.serve(SUM)
        answers = [self.who(f"guess-{i}").status for i in range(12)]
        self.assertEqual(answers, [401] * 10 + [429] * 2)
        self.assertEqual(self.who(self.token).status, 200)
        refused = self.get("/audit?kind=sign_in_refused").json["entries"]
        self.assertEqual({one["address"] for one in refused}, {"127.0.0.1"})


if __name__ == "__main__":
    unittest.main()
